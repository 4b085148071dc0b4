"""A module is made anew for each call and passed to the compiled function.

FIX=0 as users write it
FIX=1 made once, outside, its weights changed in place
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def apply(x, module):
    return module(x) + 1


once, OUT = torch.nn.Linear(4, 4), []
for i in range(3):
    module = once if FIX == 1 else torch.nn.Linear(4, 4)
    with torch.no_grad():
        module.weight.fill_(0.1 * i)
        module.bias.fill_(0.1)
    OUT.append(apply(torch.arange(4.0), module))
