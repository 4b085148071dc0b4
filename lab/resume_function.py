"""A graph break (print) first; the sizes of the resume function change too.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 the graph break removed (no print)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [4, 2], "breaks": [2, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x):
    x = x * 2
    if FIX != 2:
        print("break")
    return torch.tanh(x).sum(0)


OUT = [f(torch.arange(n * 2.0).view(n, 2)) for n in [8, 6, 5]]
