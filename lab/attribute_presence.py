"""An attribute is set after the first call; the code asks hasattr.

FIX=0 as users write it
FIX=1 set before the first call
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "results": "other"},
}
NEVER = {
    2: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


class Net(torch.nn.Module):
    def forward(self, x):
        return x * self.gain if hasattr(self, "gain") else x + 1


net = Net()
run = torch.compile(net, backend="eager", dynamic=True if FIX == 2 else None)
OUT = []
if FIX == 1:
    net.gain = torch.tensor(2.0)
for _ in range(3):
    OUT.append(run(torch.arange(4.0)))
    net.gain = torch.tensor(2.0)
