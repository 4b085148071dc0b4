"""torch.use_deterministic_algorithms is called after the first call.

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
def scale(x):
    return x * 2


if FIX == 1:
    torch.use_deterministic_algorithms(True)
OUT = []
for i in range(3):
    OUT.append(scale(torch.arange(4.0)))
    torch.use_deterministic_algorithms(True)
