"""A graph break inside try/except: the frame cannot be split there.

FIX=0 as users write it: print inside try
FIX=1 the print removed
FIX=2 the tensor work in a function of its own, called inside try
FIX=3 print after the try block
"""

import os

import torch

PROMISES = {
    1: {
        "compiles": [1, 1], "breaks": [1, 0], "graphs": [0, 1],
        "2.8": {"compiles": [1, 1], "graphs": [0, 1]},
    },
}
NEVER = {
    2: {
        "compiles": [1, 2], "breaks": [1, 1], "graphs": [0, 1],
        "2.8": {"compiles": [1, 2], "graphs": [0, 1]},
    },
}

FIX = int(os.environ.get("FIX", "0"))


def work(x):
    return torch.relu(x * 2) + 1


@torch.compile(backend="eager")
def f(x):
    y = torch.tanh(x)
    try:
        if FIX == 2:
            y = work(y)
        else:
            y = torch.relu(y * 2) + 1
        if FIX in (0, 2):
            print("ok")
    except ValueError:
        y = y - 1
    if FIX == 3:
        print("ok")
    return y * 3


OUT = [f(torch.arange(4.0)) for _ in range(2)]
