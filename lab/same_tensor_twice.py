"""Two inputs are the same tensor in some calls: f(x, x).

FIX=0 as users write it
FIX=1 x.clone() where they would be the same
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
def distance(x, y):
    return (x - y).pow(2).sum() + x.sum()


OUT = []
for i in range(4):
    x = torch.arange(4.0)
    y = x + 1 if i % 2 else x.clone() if FIX == 1 else x
    OUT.append(distance(x, y))
