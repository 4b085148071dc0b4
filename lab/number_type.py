"""A number is an int in some calls, a float or a bool in others.

FIX=0 as users write it
FIX=1 converted to one type before the call: float(k)
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def scale(x, k):
    return x * k


OUT = []
for k in [2, 2.5, True, 2, 2.5]:
    OUT.append(scale(torch.arange(4.0), float(k) if FIX == 1 else k))
