"""requires_grad_() on a tensor that the compiled function made.

FIX=0 as users write it
FIX=1 the caller makes the tensor and sets requires_grad
"""

import os

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def energy(x):
    if FIX == 0:
        x = (x * 2).detach().requires_grad_()
    return (x * x).sum()


OUT = []
for _ in range(2):
    x = torch.arange(4.0)
    if FIX == 1:
        x = (x * 2).detach().requires_grad_()
    OUT.append(energy(x).detach())
