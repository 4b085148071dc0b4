"""A graph break inside a for loop, and in a function that the compiled one calls.

FIX=0 as users write it: print in the loop, in a helper
FIX=1 the print removed
FIX=2 print after the loop
FIX=3 the helper compiled alone, the loop not
"""

import os

import torch

PROMISES = {
    1: {"compiles": [4, 1], "breaks": [3, 0], "graphs": [3, 1]},
}
NEVER = {
    3: {"compiles": [4, 3], "breaks": [3, 2], "graphs": [3, 3]},
}

FIX = int(os.environ.get("FIX", "0"))


def helper(x, i):
    x = torch.tanh(x) + i
    if FIX in (0, 3):
        print("turn")
    return x * 2


def f(x):
    for i in range(3):
        x = helper(x, i)
    if FIX == 2:
        print("turns")
    return x + 1


if FIX == 3:
    helper = torch.compile(helper, backend="eager")
else:
    f = torch.compile(f, backend="eager")
OUT = [f(torch.arange(4.0)) for _ in range(2)]
