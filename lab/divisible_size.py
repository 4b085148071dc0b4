"""The code branches on a multiple of 8 and pads what is none: 16, 24, 20, 32, 12.

FIX=0 as users write it
FIX=1 padded to a multiple of 8 by the caller, and marked: maybe_mark_dynamic(x, 0)
FIX=2 padded by the caller
FIX=3 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1]},
    2: {"compiles": [3, 2]},
}
NEVER = {
    3: {"compiles": [3, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


def pad(x):
    return torch.nn.functional.pad(x, (0, -x.shape[0] % 8))


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def in_eights(x):
    if x.shape[0] % 8 != 0:
        x = pad(x)
    return x.view(-1, 8).sum(0)


OUT = []
for n in [16, 24, 20, 32, 12]:
    x = torch.arange(float(n))
    if FIX in (1, 2):
        x = pad(x)
    if FIX == 1:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(in_eights(x))
