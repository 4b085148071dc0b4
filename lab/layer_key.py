"""layer_idx used as a key into a list only (cache[self.layer_idx]): one version a layer.

FIX=0 as users write it
FIX=1 torch._dynamo.config.allow_unspec_int_on_nn_module = True
FIX=2 the layer's own cache is an argument
FIX=3 the whole stack compiled as one
FIX=4 layer_idx is a tensor (buffer)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [6, 2]},
    3: {"compiles": [6, 1]},
}
NEVER = {
    1: {"compiles": [6, 6], "since": "2.8"},
    4: {"compiles": [6, 3], "breaks": [0, 2]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.allow_unspec_int_on_nn_module = True


class Layer(torch.nn.Module):
    def __init__(self, i):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        if FIX == 4:
            self.register_buffer("layer_idx", torch.tensor(i))
        else:
            self.layer_idx = i

    def forward(self, x, cache):
        return torch.tanh(self.lin(x)) + (cache if FIX == 2 else cache[self.layer_idx])


layers = torch.nn.ModuleList(Layer(i) for i in range(6))
cache = [torch.full((4,), i / 10) for i in range(6)]


def forward(x):
    for i, layer in enumerate(layers):
        x = layer(x, cache[i] if FIX == 2 else cache)
    return x


if FIX == 3:
    forward = torch.compile(forward, backend="eager")
else:
    for layer in layers:
        layer.compile(backend="eager")
OUT = [forward(torch.arange(8.0).view(2, 4)) for _ in range(2)]
