"""An input is marked as dynamic in some calls only; the first is not.

FIX=0 as users write it
FIX=1 marked in every call: maybe_mark_dynamic
FIX=2 marked in no call (the size is the same in all)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
    2: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def scale(x):
    return x * 2


OUT = []
for i in range(4):
    x = torch.arange(12.0).view(6, 2)
    if FIX == 1:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    elif FIX == 0 and i % 2:
        torch._dynamo.mark_dynamic(x, 0)
    OUT.append(scale(x))
