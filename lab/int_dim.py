"""An int attribute that is the dim of an operator, x.cumsum(self.dim): graphs differ in that number alone.

FIX=0 as users write it
FIX=1 torch._dynamo.config.allow_unspec_int_on_nn_module = True
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [4, 4], "since": "2.8"},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.allow_unspec_int_on_nn_module = True


class Net(torch.nn.Module):
    dim = 0

    def forward(self, x):
        return x.cumsum(self.dim)


net = Net()
run = torch.compile(net, backend="eager")
OUT = []
for dim in (0, 1, 2, 3):
    net.dim = dim
    OUT.append(run(torch.arange(81.0).view(3, 3, 3, 3)))
