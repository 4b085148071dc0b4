"""A module is converted to another dtype after its first call.

FIX=0 as users write it
FIX=1 converted before its first call
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {
    2: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

net = torch.nn.Linear(4, 2)
run = torch.compile(net, backend="eager", dynamic=True if FIX == 2 else None)
if FIX == 1:
    net.to(torch.float64)
OUT = []
for _ in range(3):
    OUT.append(run(torch.arange(4.0).to(net.weight.dtype)).float())
    net.to(torch.float64)
