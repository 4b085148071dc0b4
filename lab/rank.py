"""An input has one dimension in some calls and two in others.

FIX=0 as users write it
FIX=1 x.reshape(1, -1) before the call where it has one
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


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def total(x):
    return torch.tanh(x).sum()


OUT = []
for i in range(4):
    x = torch.arange(4.0) if i % 2 else torch.arange(4.0).view(1, 4)
    OUT.append(total(x.reshape(1, -1) if FIX == 1 else x))
