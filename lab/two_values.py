"""A number that takes two values for ever (2 and 3): automatic dynamic makes it free after the second compile.

FIX=0 as users write it
FIX=1 pass it as a tensor
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def f(x, k):
    return x * k


OUT = [f(torch.arange(4.0), torch.tensor(k) if FIX == 1 else k) for k in [2, 3, 2, 3, 2, 3]]
