"""if random.random() < p inside the compiled function: a random number of Python decides.

FIX=0 as users write it
FIX=1 torch.rand(()) in its place, and torch.where
FIX=2 decided outside: the flag is an argument
FIX=3 torch._dynamo.config.capture_scalar_outputs = True
"""

import os
import random

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
}
NEVER = {
    3: {"breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 3:
    torch._dynamo.config.capture_scalar_outputs = True
random.seed(0)
torch.manual_seed(0)


@torch.compile(backend="eager")
def explore(x, chosen):
    y = x * 2
    if FIX == 1:
        return torch.where(torch.rand(()) < 1.5, y * 0, y) + 1
    if FIX == 2:
        if chosen:
            y = y * 0
    elif random.random() < 1.5:
        y = y * 0
    return y + 1


OUT = []
for _ in range(3):
    OUT.append(explore(torch.arange(4.0), random.random() < 1.5))
