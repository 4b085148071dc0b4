"""A counter on a module, read in forward and counted up by the training loop: net.step += 1.

FIX=0 as users write it
FIX=1 torch._dynamo.config.allow_unspec_int_on_nn_module = True
FIX=2 the counter is a tensor (buffer), changed in place
FIX=3 torch.compile(dynamic=True)
FIX=4 passed as an argument
FIX=5 TORCH_COMPILE_DYNAMIC_SOURCES="L['self'].step"
FIX=6 torch._dynamo.config.allow_unspec_int_on_nn_module and dynamic=True
"""

import os

import torch

PROMISES = {
    1: {"compiles": [7, 2], "since": "2.8"},
}
NEVER = {
    3: {"compiles": [7, 7], "2.6": {"compiles": [2, 1]}},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX in (1, 6):
    torch._dynamo.config.allow_unspec_int_on_nn_module = True
if FIX == 5:
    torch.compiler.config.dynamic_sources = "L['self'].step"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        if FIX == 2:
            self.register_buffer("step", torch.zeros((), dtype=torch.long))
        else:
            self.step = 0

    def forward(self, x, step=None):
        return self.lin(x) * (self.step if step is None else step)


net = Net()
run = torch.compile(net, backend="eager", dynamic=True if FIX in (3, 6) else None)
OUT = []
for i in range(7):
    x = torch.arange(8.0).view(2, 4)
    OUT.append(run(x, i) if FIX == 4 else run(x))
    net.step += 1
