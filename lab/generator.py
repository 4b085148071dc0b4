"""A generator: its body prints; and a generator kept by the caller.

FIX=0 as users write it: for y in parts(x), the generator breaks inside
FIX=1 a list built by the function in place of yield
FIX=2 the print removed
FIX=3 the compiled function is itself a generator
"""

import os

import torch

PROMISES = {
    2: {
        "compiles": [1, 1], "breaks": [1, 0], "graphs": [0, 1],
        "2.8": {"compiles": [1, 1], "graphs": [0, 1]},
        "2.6": {"compiles": [2, 1], "breaks": [1, 0], "graphs": [0, 1]},
    },
}
NEVER = {
    1: {
        "compiles": [1, 3], "breaks": [1, 2], "graphs": [0, 1],
        "2.8": {"compiles": [1, 3], "breaks": [0, 2], "graphs": [0, 1]},
        "2.6": {"compiles": [2, 3], "breaks": [1, 2], "graphs": [0, 1]},
    },
    3: {
        "compiles": [1, 0], "breaks": [1, 0], "graphs": [0, 0],
        "2.8": {"compiles": [1, 0], "graphs": [0, 0]},
        "2.6": {"compiles": [2, 0], "breaks": [1, 0], "graphs": [0, 0]},
    },
}

FIX = int(os.environ.get("FIX", "0"))


def parts(x):
    for i in range(3):
        if FIX in (0, 1):
            print("part")
        yield x * i


def as_list(x):
    out = []
    for i in range(3):
        print("part")
        out.append(x * i)
    return out


def f(x):
    total = x
    ys = as_list(x) if FIX == 1 else parts(x)
    for y in ys:
        total = total + torch.tanh(y)
    return total


if FIX == 3:
    gen = torch.compile(parts, backend="eager")
    OUT = [torch.arange(4.0) + sum(torch.tanh(y) for y in gen(torch.arange(4.0))) for _ in range(2)]
else:
    f = torch.compile(f, backend="eager")
    OUT = [f(torch.arange(4.0)) for _ in range(2)]
