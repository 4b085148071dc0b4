"""A slice of a larger tensor in some calls: other strides (row length 8, 12, 16) and a storage offset.

FIX=0 as users write it
FIX=1 x.contiguous() before the call
FIX=2 torch.compile(dynamic=True)
FIX=3 x.clone() (keeps the strides of a dense view, makes others contiguous)
FIX=4 mark_dynamic(x, 1)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {
    2: {"compiles": [2, 3]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def norm(x):
    return x / x.sum(1, keepdim=True)


OUT = []
for n in [4, 8, 12, 16]:
    x = torch.arange(1.0, 1 + 4 * n).view(4, n)[:, n - 4 :]
    if FIX == 1:
        x = x.contiguous()
    if FIX == 3:
        x = x.clone()
    if FIX == 4:
        torch._dynamo.mark_dynamic(x, 1)
    OUT.append(norm(x))
