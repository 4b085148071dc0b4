"""The first batch is as large as the hidden size (8x8), and a table is as long as the batch.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (x, 0)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {
    1: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

lin = torch.nn.Linear(8, 8)


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x):
    return lin(x) + x.sum(1, keepdim=True)


OUT = []
for n in [8, 8, 6, 5]:
    x = torch.arange(n * 8.0).view(n, 8) / 50
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(f(x))
