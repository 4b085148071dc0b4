"""A forward hook that records on a Python list and prints.

FIX=0 as users write it: the hook prints
FIX=1 the hook appends without print
FIX=2 hooks removed
FIX=3 backward hook on a tensor inside the compiled function
FIX=4 the hook under torch.compiler.disable
"""

import os

import torch

PROMISES = {
    1: {
        "compiles": [5, 2], "breaks": [3, 0], "graphs": [4, 2],
        "2.8": {"compiles": [4, 2], "breaks": [3, 0], "graphs": [3, 2]},
    },
    2: {
        "compiles": [5, 1], "breaks": [3, 0], "graphs": [4, 1],
        "2.8": {"compiles": [4, 1], "breaks": [3, 0], "graphs": [3, 1]},
    },
}
NEVER = {
    4: {
        "compiles": [5, 3], "breaks": [3, 1], "graphs": [4, 2],
        "2.8": {"compiles": [4, 2], "breaks": [3, 1], "graphs": [3, 1]},
    },
}

FIX = int(os.environ.get("FIX", "0"))
seen = []


def hook(m, args, out):
    seen.append(out.detach())
    if FIX == 0:
        print("hook")


net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
if FIX in (0, 1, 4):
    net[0].register_forward_hook(torch.compiler.disable(hook) if FIX == 4 else hook)


@torch.compile(backend="eager")
def f(x):
    y = net(x)
    if FIX == 3:
        y.register_hook(lambda g: g * 1)
    return y.sum()


OUT = [f(torch.arange(8.0).view(2, 4)) for _ in range(2)]
