"""A list of modules with an int of their own (layer_idx 0..5), each compiled through one class: one code object.

FIX=0 as users write it: layer_idx used in arithmetic
FIX=1 torch._dynamo.config.allow_unspec_int_on_nn_module = True
FIX=2 layer_idx is a tensor (buffer)
FIX=3 the whole stack compiled as one
FIX=4 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [6, 2], "since": "2.8"},
    3: {"compiles": [6, 1], "2.6": {"compiles": [2, 1]}},
}
NEVER = {
    4: {"compiles": [6, 6], "2.6": {"compiles": [2, 2]}},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.allow_unspec_int_on_nn_module = True


class Layer(torch.nn.Module):
    def __init__(self, i):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        if FIX == 2:
            self.register_buffer("layer_idx", torch.tensor(i))
        else:
            self.layer_idx = i

    def forward(self, x, cache):
        return torch.tanh(self.lin(x)) / (self.layer_idx + 1)


class Stack(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(i) for i in range(6))

    def forward(self, x, cache):
        for layer in self.layers:
            x = layer(x, cache)
        return x


net = Stack()
cache = [torch.full((4,), i / 10) for i in range(6)]
if FIX == 3:
    net.compile(backend="eager")
else:
    for layer in net.layers:
        layer.compile(backend="eager", dynamic=True if FIX == 4 else None)
OUT = [net(torch.arange(8.0).view(2, 4), cache) for _ in range(2)]
