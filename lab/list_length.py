"""A list of tensors of changing length: 2, 3, 4, 2.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 stacked to one tensor outside, dim 0 marked dynamic
FIX=3 padded to the largest length with zeros (sum does not mind)
FIX=4 stacked to one tensor outside, maybe_mark_dynamic on dim 0
"""

import os

import torch

PROMISES = {
    4: {"compiles": [3, 1]},
}
NEVER = {
    1: {"compiles": [3, 3]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def total(xs):
    if FIX in (2, 4):
        return (xs * 2).sum(0)
    return sum(x * 2 for x in xs)


OUT = []
for n in [2, 3, 4, 2]:
    xs = [torch.full((4,), float(i)) for i in range(n)]
    if FIX in (2, 4):
        xs = torch.stack(xs)
    if FIX == 2:
        torch._dynamo.mark_dynamic(xs, 0)
    if FIX == 4:
        torch._dynamo.maybe_mark_dynamic(xs, 0)
    if FIX == 3:
        xs += [torch.zeros(4)] * (4 - n)
    OUT.append(total(xs))
