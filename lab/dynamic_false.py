"""dynamic=False and 10 lengths: a version each, then the recompile limit.

FIX=0 as users write it
FIX=1 dynamic=False removed
FIX=2 dynamic=True
"""

import os

import torch

PROMISES = {
    1: {"compiles": [9, 2], "graphs": [8, 2], "2.6": {"compiles": [8, 2]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=[False, None, True][FIX])
def f(x):
    return torch.tanh(x).sum()


OUT = [f(torch.arange(float(n))) for n in range(4, 14)]
