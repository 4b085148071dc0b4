"""A float that decides a branch (if p > 0.5) or sets dropout: a tensor breaks the graph there.

FIX=0 as users write it
FIX=1 pass it as a tensor
FIX=2 torch.compile(dynamic=True)
FIX=3 torch.where on a tensor
FIX=4 torch._dynamo.config.specialize_float = False
"""

import os

import torch

PROMISES = {
    3: {"compiles": [3, 1]},
}
NEVER = {
    1: {"compiles": [3, 3], "breaks": [0, 1]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 4:
    torch._dynamo.config.specialize_float = False


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def scale(x, p):
    if FIX == 3:
        return torch.where(p > 0.5, x * p, x - p)
    if p > 0.5:
        return x * p
    return x - p


OUT = []
for p in [0.9, 0.8, 0.7, 0.4, 0.3, 0.2]:
    OUT.append(scale(torch.arange(4.0), torch.tensor(p) if FIX in (1, 3) else p))
