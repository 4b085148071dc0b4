"""A lazy module (LazyLinear) makes its parameters in the first, compiled call.

FIX=0 as users write it
FIX=1 one call in eager mode before torch.compile
FIX=2 torch.nn.Linear with its width
"""

import os

import torch

PROMISES = {}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.LazyLinear(3) if FIX != 2 else torch.nn.Linear(4, 3), torch.nn.Tanh())
x = torch.arange(8.0).view(2, 4)
if FIX == 1:
    net(x)
run = torch.compile(net, backend="eager")
OUT = [run(x).shape for _ in range(2)]
