"""A function made anew for each call closes over a number that changes; it is an argument of the compiled one.

FIX=0 as users write it
FIX=1 the number is an argument
FIX=2 torch.compile(dynamic=True)
FIX=3 functools.partial over one function
"""

import functools
import os

import torch

PROMISES = {
    1: {"compiles": [5, 2]},
    3: {"compiles": [5, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def apply(x, f, k=None):
    return (f(x) if k is None else f(x, k)) + 1


def times(x, k):
    return x * k


OUT = []
for k in [2, 3, 4, 5, 6]:
    x = torch.arange(4.0)
    if FIX == 1:
        OUT.append(apply(x, times, k))
    else:
        OUT.append(apply(x, functools.partial(times, k=k) if FIX == 3 else lambda x: x * k))
