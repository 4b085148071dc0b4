"""An optional argument: None in some calls, a tensor in others.

FIX=0 as users write it
FIX=1 a neutral tensor in place of None (ones, zeros)
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
def pool(x, w):
    return (x if w is None else x * w).sum()


OUT = []
for i in range(6):
    w = torch.full((4,), 0.5) if i % 2 else torch.ones(4) if FIX == 1 else None
    OUT.append(pool(torch.arange(4.0), w))
