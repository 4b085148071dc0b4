"""An optional mask: None at first, then given; sizes change all the while.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (x, 0), (mask, 0)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [4, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x, mask=None):
    return (x if mask is None else x * mask).sum(0)


OUT = []
for i, n in enumerate([8, 6, 5, 7]):
    x = torch.arange(n * 2.0).view(n, 2)
    mask = torch.ones(n, 1)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
        torch._dynamo.maybe_mark_dynamic(mask, 0)
    OUT.append(f(x) if i % 2 == 0 else f(x, mask))
