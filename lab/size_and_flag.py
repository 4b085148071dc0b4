"""Size and a flag change; each flag has its version.

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
def f(x, train):
    return (x * 2 if train else x + 1).sum(0)


OUT = []
for n, train in [(8, True), (6, True), (8, False), (5, False), (4, True), (7, False)]:
    x = torch.arange(n * 2.0).view(n, 2)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(f(x, train))
