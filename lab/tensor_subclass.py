"""A parameter is passed in some calls and a plain tensor in others.

FIX=0 as users write it
FIX=1 weight.detach() before the call: plain tensors in all calls (no gradient is read here)
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {
    2: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

weight = torch.nn.Parameter(torch.ones(4))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def scale(x, weight):
    return (x * weight).sum()


OUT = []
for i in range(4):
    w = weight if i % 2 else torch.full((4,), 0.5)
    OUT.append(scale(torch.arange(4.0), w.detach() if FIX == 1 else w))
