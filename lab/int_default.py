"""A default argument holds a number: a function made for each value, def scale(x, k=k).

FIX=0 as users write it
FIX=1 the number is an argument of one compiled function
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


def make(k):
    def scale(x, k=k):
        return x * k + 1

    return torch.compile(scale, backend="eager", dynamic=True if FIX == 2 else None)


@torch.compile(backend="eager")
def scale(x, k):
    return x * k + 1


OUT = []
for k in range(2, 7):
    x = torch.arange(4.0)
    OUT.append(scale(x, k) if FIX == 1 else make(k)(x))
