"""An argument is a tensor in some calls and a number in others.

FIX=0 as users write it
FIX=1 a tensor in every call: torch.tensor(..)
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


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def scale(x, gain):
    return x * gain


OUT = []
for i in range(4):
    gain = torch.tensor(0.5) if i % 2 else 0.25
    OUT.append(scale(torch.arange(4.0), torch.tensor(gain) if FIX == 1 and not i % 2 else gain))
