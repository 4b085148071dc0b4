"""One compiled function is called with modules of different structure: 1, 2 and 3 layers.

FIX=0 as users write it
FIX=1 each module compiled by itself
FIX=2 torch.compile(dynamic=True)
FIX=3 the loop over the modules compiled as one
"""

import os

import torch

PROMISES = {
    3: {"compiles": [3, 1]},
}
NEVER = {
    1: {"compiles": [3, 3]},
    2: {"compiles": [3, 3]},
}

FIX = int(os.environ.get("FIX", "0"))

mods = [torch.nn.Sequential(*(torch.nn.Linear(4, 4) for _ in range(n))) for n in (1, 2, 3)]


def apply(m, x):
    return torch.tanh(m(x)).sum()


def every(x):
    return sum(apply(m, x) for m in mods)


one = torch.compile(apply, backend="eager", dynamic=True if FIX == 2 else None)
each = [torch.compile(m, backend="eager") for m in mods]
every = torch.compile(every, backend="eager")
OUT = []
for _ in range(2):
    x = torch.arange(4.0)
    if FIX == 3:
        OUT.append(every(x))
    else:
        OUT.append(sum(torch.tanh(m(x)).sum() if FIX == 1 else one(m, x) for m in (each if FIX == 1 else mods)))
