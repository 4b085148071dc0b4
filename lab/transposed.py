"""A transposed (dense, not contiguous) input in some calls.

FIX=0 as users write it
FIX=1 x.contiguous()
FIX=2 torch.compile(dynamic=True)
FIX=3 x.clone()
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {
    2: {"compiles": [2, 2]},
    3: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def norm(x):
    return x / x.sum(1, keepdim=True)


OUT = []
for i in range(4):
    x = torch.arange(1.0, 17).view(4, 4)
    if i % 2:
        x = x.t()
    if FIX == 1:
        x = x.contiguous()
    if FIX == 3:
        x = x.clone()
    OUT.append(norm(x))
