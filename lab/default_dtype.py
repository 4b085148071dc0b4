"""torch.set_default_dtype is called after the first call; the code makes a tensor.

FIX=0 as users write it
FIX=1 called before the first call
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
def shift(x):
    return (x + torch.ones(4)).float()


if FIX == 1:
    torch.set_default_dtype(torch.float64)
OUT = []
for i in range(3):
    OUT.append(shift(torch.arange(4.0, dtype=torch.float32)))
    torch.set_default_dtype(torch.float64)
