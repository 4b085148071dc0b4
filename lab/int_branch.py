"""An int argument that a branch tests (if step % 2 == 0, if step < 3): 2 .. 9.

FIX=0 as users write it
FIX=1 pass it as a tensor
FIX=2 torch.compile(dynamic=True)
FIX=3 torch.where, the step a tensor
FIX=4 the test outside: a bool argument
"""

import os

import torch

PROMISES = {
    3: {"compiles": [3, 1]},
}
NEVER = {
    1: {"compiles": [3, 3], "breaks": [0, 1]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def update(x, step):
    if FIX == 3:
        return torch.where(step < 5, x * step, x - step)
    if step < 5:
        return x * step
    return x - step


OUT = []
for step in range(2, 10):
    OUT.append(update(torch.arange(4.0), torch.tensor(step) if FIX in (1, 3) else step))
