"""A file is opened and read in the compiled function.

FIX=0 as users write it
FIX=1 read by the caller, its content passed
FIX=2 torch.compiler.disable on the helper that reads
"""

import os

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
}
NEVER = {
    2: {"breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))


def read():
    with open(__file__) as source:
        return len(source.readline())


hidden = torch.compiler.disable(read)


@torch.compile(backend="eager")
def f(x, length=None):
    x = torch.tanh(x)
    if FIX == 1:
        n = length
    elif FIX == 2:
        n = hidden()
    else:
        n = read()
    return x * n


OUT = [f(torch.arange(4.0), read() if FIX == 1 else None) for _ in range(2)]
