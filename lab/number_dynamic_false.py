"""dynamic=False and a number that takes seven values: a version each.

FIX=0 as users write it
FIX=1 dynamic=False removed
FIX=2 dynamic=True
"""

import os

import torch

PROMISES = {
    1: {"compiles": [7, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=[False, None, True][FIX])
def scale(x, k):
    return x * k


OUT = [scale(torch.arange(4.0), k) for k in range(2, 9)]
