"""An input that needs a gradient in some calls only.

FIX=0 as users write it
FIX=1 x.detach() before the call where no gradient is read (none is read here)
FIX=2 always requires_grad_()
FIX=3 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {
    3: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def energy(x):
    return (x * x).sum()


OUT = []
for i in range(4):
    x = torch.arange(4.0).requires_grad_(i % 2 == 0 or FIX == 2)
    OUT.append(energy(x.detach() if FIX == 1 else x))
