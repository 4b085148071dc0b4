"""The same function in float32, float64 and bfloat16.

FIX=0 as users write it
FIX=1 cast the input to float32 before the call
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"results": "other"},
    2: {"compiles": [3, 3]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def norm(x):
    return x / x.sum()


OUT = []
for dt in [torch.float32, torch.float64, torch.float32, torch.bfloat16]:
    x = torch.arange(1, 5, dtype=dt)
    OUT.append(norm(x.float() if FIX == 1 else x).float())
