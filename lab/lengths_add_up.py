"""Two inputs whose lengths add up to 16: 4 and 12, 6 and 10, 9 and 7.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (a, 0), (b, 0)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

w = torch.arange(16.0)


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(a, b):
    return torch.cat([a, b]) * w


OUT = []
for n in [4, 6, 9, 5]:
    a, b = torch.arange(float(n)), torch.arange(16.0 - n)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(a, 0)
        torch._dynamo.maybe_mark_dynamic(b, 0)
    OUT.append(f(a, b))
