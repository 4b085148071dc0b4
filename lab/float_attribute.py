"""A float attribute of a module that changes between calls (self.temperature, a dropout rate, a loss weight).

FIX=0 as users write it
FIX=1 a tensor attribute
FIX=2 torch.compile(dynamic=True)
FIX=3 torch._dynamo.config.allow_unspec_int_on_nn_module = True
FIX=4 an argument of forward
FIX=5 torch._dynamo.config.specialize_float = False and allow_unspec_int_on_nn_module
FIX=6 torch._dynamo.config.specialize_float = False
"""

import os

import torch

PROMISES = {}
NEVER = {
    3: {"compiles": [2, 2], "since": "2.8"},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX in (3, 5):
    torch._dynamo.config.allow_unspec_int_on_nn_module = True
if FIX in (5, 6):
    torch._dynamo.config.specialize_float = False


class Net(torch.nn.Module):
    temperature = 2.0

    def forward(self, x, t=None):
        return torch.softmax(x / (self.temperature if t is None else t), -1)


net = Net()
run = torch.compile(net, backend="eager", dynamic=True if FIX == 2 else None)
OUT = []
for i in range(7):
    t = 1.5 - i / 10
    if FIX == 4:
        OUT.append(run(torch.arange(4.0), t))
    else:
        net.temperature = torch.tensor(t) if FIX == 1 else t
        OUT.append(run(torch.arange(4.0)))
