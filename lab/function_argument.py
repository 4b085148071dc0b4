"""A function is an argument: torch.relu, torch.tanh, torch.relu. Each needs a version.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 the function called outside, its result passed
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {
    1: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def apply(x, act):
    return (x if act is None else act(x)) + 1


OUT = []
for act in [torch.relu, torch.tanh, torch.relu]:
    x = torch.arange(4.0)
    OUT.append(apply(act(x), None) if FIX == 2 else apply(x, act))
