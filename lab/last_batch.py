"""The last batch of an epoch is smaller: 8, 8, 8, 5, and again.

FIX=0 as users write it
FIX=1 drop the last batch (other results: rows are lost)
FIX=2 pad the last batch to 8 and cut the result
FIX=3 mark_dynamic(x, 0) and mark_dynamic(y, 0)
FIX=4 mark_dynamic(x, 0) alone
FIX=5 torch.compile(dynamic=True)
FIX=6 mark_static / dynamic=False: the two sizes stay two versions
FIX=7 maybe_mark_dynamic on the set: (x, 0), (y, 0)
"""

import os

import torch

PROMISES = {
    7: {"compiles": [2, 1]},
    2: {"compiles": [2, 1]},
}
NEVER = {
    4: {"error": "ConstraintViolationError"},
    1: {"results": "other"},
}

FIX = int(os.environ.get("FIX", "0"))

lin = torch.nn.Linear(4, 3)


@torch.compile(backend="eager", dynamic=True if FIX == 5 else False if FIX == 6 else None)
def losses(x, y):
    return torch.nn.functional.cross_entropy(lin(x), y, reduction="none")


OUT = []
for n in [8, 8, 8, 5, 8, 8, 8, 5]:
    x, y = torch.arange(n * 4.0).view(n, 4) / 20, torch.arange(n) % 3
    if FIX == 1 and n < 8:
        continue
    if FIX == 2 and n < 8:
        x, y = torch.nn.functional.pad(x, (0, 0, 0, 8 - n)), torch.nn.functional.pad(y, (0, 8 - n))
    if FIX in (3, 4):
        torch._dynamo.mark_dynamic(x, 0)
    if FIX == 3:
        torch._dynamo.mark_dynamic(y, 0)
    if FIX == 7:
        torch._dynamo.maybe_mark_dynamic(x, 0)
        torch._dynamo.maybe_mark_dynamic(y, 0)
    OUT.append(losses(x, y)[:n])
