"""A branch on the size: short and long inputs take different code: 8, 12, 20, 30, 9.

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
    if x.shape[0] > 16:
        return torch.tanh(x).mean(0)
    return x.mean(0)


OUT = []
for n in [8, 12, 20, 30, 9]:
    x = torch.arange(n * 4.0).view(n, 4) / 50
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(f(x))
