"""A function under torch.compiler.disable is called in the middle.

FIX=0 as users write it
FIX=1 the decorator removed
FIX=2 moved to the end of the function
FIX=3 torch.compiler.allow_in_graph on it
FIX=4 torch._dynamo.nonstrict_trace on it (2.8 and later)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "breaks": [1, 0]},
    4: {"compiles": [2, 1], "breaks": [1, 0], "since": "2.8"},
}
NEVER = {
    2: {"compiles": [2, 2], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))


def metric(x):
    return (x > 1).float().mean()


if FIX == 3:
    metric = torch.compiler.allow_in_graph(metric)
elif FIX == 4:
    metric = torch._dynamo.nonstrict_trace(metric)
elif FIX != 1:
    metric = torch.compiler.disable(metric)


@torch.compile(backend="eager")
def f(x):
    if FIX == 2:
        y = torch.tanh(x * 2)
        return y + metric(x * 2)
    x = x * 2
    m = metric(x)
    return torch.tanh(x) + m


OUT = [f(torch.arange(4.0)) for _ in range(2)]
