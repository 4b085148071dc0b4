"""Size and dtype change at once.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (x, 0)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [3, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x):
    return (x / x.sum()).double()


OUT = []
for n, dtype in [(4, torch.float32), (6, torch.float64), (8, torch.float64), (5, torch.float32)]:
    x = torch.ones(n, dtype=dtype)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(f(x))
