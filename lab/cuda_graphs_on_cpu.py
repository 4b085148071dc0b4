"""mode="reduce-overhead" on a CPU: CUDA graphs are asked for, and none is made.

FIX=0 as users write it
FIX=1 the mode left out
"""

import os

import torch

PROMISES = {
    1: {"compiles": [1, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(mode="reduce-overhead" if FIX == 0 else None)
def f(x):
    return torch.softmax(x, -1) * 2


OUT = [f(torch.arange(8.0).view(2, 4))]
