"""A forward that seeds the generator of random numbers.

FIX=0 as users write it
FIX=1 seeded by the caller
"""

import os

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def f(x):
    x = torch.tanh(x)
    if FIX == 0:
        torch.manual_seed(7)
    return x + torch.rand(4)


OUT = []
for _ in range(2):
    if FIX == 1:
        torch.manual_seed(7)
    OUT.append(f(torch.arange(4.0)))
