"""An iterator is an argument: how many items are left in it is part of the code: 2, 3, 4.

FIX=0 as users write it
FIX=1 the items stacked to one tensor outside, maybe_mark_dynamic on dim 0
FIX=2 torch.compile(dynamic=True)
FIX=3 the loop outside, its body compiled
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1]},
    3: {"compiles": [3, 1]},
}
NEVER = {
    2: {"compiles": [3, 3]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def total(x, items):
    if FIX == 1:
        return x + items.sum(0)
    if FIX == 3:
        return x + items
    for item in items:
        x = x + item
    return x


OUT = []
for n in [2, 3, 4]:
    x, items = torch.zeros(4), [torch.full((4,), float(i)) for i in range(n)]
    if FIX == 1:
        stacked = torch.stack(items)
        torch._dynamo.maybe_mark_dynamic(stacked, 0)
        OUT.append(total(x, stacked))
    elif FIX == 3:
        for item in items:
            x = total(x, item)
        OUT.append(x)
    else:
        OUT.append(total(x, iter(tuple(items))))
