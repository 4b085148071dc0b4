"""An input comes from two devices (here: the CPU and meta).

FIX=0 as users write it
FIX=1 moved to one device before the call
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "results": "other"},
}
NEVER = {
    2: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def scale(x):
    return x * 2


OUT = []
for i in range(4):
    x = torch.arange(4.0, device="cpu" if i % 2 == 0 else "meta")
    if FIX == 1:
        x = torch.zeros_like(x, device="cpu")
    y = scale(x)
    OUT += [y.shape, y.device.type]
