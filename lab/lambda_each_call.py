"""A lambda made anew for each call is an argument: the guard is on the object or its code.

FIX=0 as users write it, a lambda without a closure
FIX=1 the lambda is made once
FIX=2 a lambda with a closure over a number, made anew
FIX=3 functools.partial over one function, made anew
FIX=4 torch.compile(dynamic=True)
"""

import functools
import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 4 else None)
def apply(x, f):
    return f(x) + 1


def times(x, k):
    return x * k


once, OUT = (lambda x: x * 3), []
for i in range(6):
    k = 3
    f = lambda x: x * 3
    if FIX == 1:
        f = once
    elif FIX == 2:
        f = lambda x: x * k
    elif FIX == 3:
        f = functools.partial(times, k=k)
    OUT.append(apply(torch.arange(4.0), f))
