"""One dim stays symbolic, the other is made a constant (a dict by width).

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

gain = {n: n / 4 for n in range(40)}


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x):
    return (x * gain[x.shape[1]]).sum(0)


OUT = []
for a, b in [(8, 4), (6, 4), (5, 4), (5, 6), (7, 6)]:
    x = torch.arange(a * b * 1.0).view(a, b)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(f(x))
