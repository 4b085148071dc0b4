"""The compiled function reads a multiprocessing.Value, whose lock torch cannot trace.

FIX=0 as users write it
FIX=1 the caller reads it and passes the number
FIX=2 multiprocessing.Value(.., lock=False)
"""

import multiprocessing
import os

import torch

PROMISES = {
    1: {"graphs": [0, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
LENGTH = multiprocessing.Value("i", 3, lock=FIX != 2)


@torch.compile(backend="eager")
def f(x, length):
    x = torch.tanh(x)
    if length is None:
        length = LENGTH.value
    return x * length


OUT = [f(torch.arange(4.0), LENGTH.value if FIX == 1 else None) for _ in range(2)]
