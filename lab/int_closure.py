"""A number in a closure: a function made anew for each value, make(k) (also: a lambda made anew for each call).

FIX=0 as users write it: one torch.compile per made function
FIX=1 the number is an argument of one compiled function
FIX=2 the number in the closure is a tensor
FIX=3 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


def make(k):
    def scale(x):
        return x * k + 1

    return torch.compile(scale, backend="eager", dynamic=True if FIX == 3 else None)


@torch.compile(backend="eager")
def scale(x, k):
    return x * k + 1


OUT = []
for k in range(2, 9):
    x = torch.arange(4.0)
    OUT.append(scale(x, k) if FIX == 1 else make(torch.tensor(k) if FIX == 2 else k)(x))
