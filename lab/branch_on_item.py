"""if x.max().item() > 3: a branch on a value.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_scalar_outputs = True
FIX=2 without item(): if x.max() > 3
FIX=3 torch.where
FIX=4 torch.cond
FIX=5 the branch outside, in the caller
"""

import os

import torch

PROMISES = {
    3: {"compiles": [4, 1], "breaks": [1, 0]},
    4: {"compiles": [4, 1], "breaks": [1, 0]},
}
NEVER = {
    1: {"compiles": [4, 3], "breaks": [1, 1]},
    2: {"compiles": [4, 3], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_scalar_outputs = FIX == 1


@torch.compile(backend="eager")
def f(x, big=None):
    if FIX == 3:
        return torch.where(x.max() > 4, x / 2, x * 2) + 1
    if FIX == 4:
        return torch.cond(x.max() > 4, lambda x: x / 2, lambda x: x * 2, (x,)) + 1
    if FIX == 2:
        return (x / 2 if x.max() > 4 else x * 2) + 1
    if FIX == 5:
        return (x / 2 if big else x * 2) + 1
    if x.max().item() > 4:
        x = x / 2
    else:
        x = x * 2
    return x + 1


OUT = []
for i in range(4):
    x = torch.arange(4.0) + i
    OUT.append(f(x, bool(x.max() > 4) if FIX == 5 else None))
