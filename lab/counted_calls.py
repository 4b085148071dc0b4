"""The compiled function counts its calls in a global dict; the graph does not use the number.

FIX=0 as users write it
FIX=1 counted by the caller
FIX=2 counted in a tensor
FIX=3 the number is an argument as well, and counted inside as before
"""

import os

import torch

PROMISES = {
    1: {"compiles": [7, 1]},
    2: {"compiles": [7, 1]},
}
NEVER = {
    3: {"compiles": [7, 7]},
}

FIX = int(os.environ.get("FIX", "0"))
STATS = {"calls": torch.zeros((), dtype=torch.int64) if FIX == 2 else 0}


@torch.compile(backend="eager")
def layer(x, calls):
    if FIX != 1:
        STATS["calls"] += 1
    return torch.relu(x) + 1


OUT = []
for _ in range(7):
    OUT.append(layer(torch.arange(4.0), STATS["calls"] if FIX == 3 else None))
    if FIX == 1:
        STATS["calls"] += 1
