"""Two loaders: batches of 4 x 8 and, at the end, of 3 x 8 with lengths 8, 6 alternating.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (x, [0, 1]), (y, [0, 1])
"""

import os

import torch

PROMISES = {
    2: {"compiles": [3, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x, y):
    return (x - y).pow(2).mean((1, 2))


OUT = []
for b, n in [(4, 8), (4, 6), (4, 8), (3, 6), (3, 8)]:
    x = torch.arange(b * n * 2.0).view(b, n, 2)
    y = x.flip(0)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, [0, 1])
        torch._dynamo.maybe_mark_dynamic(y, [0, 1])
    OUT.append(f(x, y))
