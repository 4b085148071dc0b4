"""The size must be even (view in pairs): 8, 10, 12, 6.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (x, 0)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x):
    return x.view(-1, 2, 3).sum(1)


OUT = []
for n in [8, 10, 12, 6]:
    x = torch.arange(n * 3.0).view(n, 3)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(f(x))
