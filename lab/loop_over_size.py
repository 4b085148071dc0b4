"""A recurrent cell in a loop over the length of a sequence; the length varies.

FIX=0 as users write it
FIX=1 the cell is compiled, and the loop is outside
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [4, 2]},
}
NEVER = {
    2: {"compiles": [4, 4]},
}

FIX = int(os.environ.get("FIX", "0"))
WEIGHT = torch.ones(4, 4) / 8


def cell(step, state):
    return torch.tanh(step + state @ WEIGHT)


def run(x):
    state = torch.zeros(x.size(0), 4)
    for t in range(x.size(1)):
        state = cell(x[:, t], state)
    return state


if FIX == 1:
    cell = torch.compile(cell, backend="eager")
else:
    run = torch.compile(run, backend="eager", dynamic=True if FIX == 2 else None)

OUT = [run(torch.arange(8.0 * n).view(2, n, 4) / 10) for n in (3, 4, 5, 6)]
