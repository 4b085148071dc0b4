"""Tensors made under torch.inference_mode() in some calls: other dispatch keys.

FIX=0 as users write it
FIX=1 x.clone() outside of inference mode
FIX=2 torch.no_grad() in place of inference_mode
FIX=3 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
    2: {"compiles": [2, 1]},
}
NEVER = {
    3: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def scale(x):
    return x * 2 + 1


OUT = []
for i in range(4):
    with torch.no_grad() if FIX == 2 or i % 2 == 0 else torch.inference_mode():
        x = torch.arange(4.0)
    if FIX == 1 and i % 2:
        x = x.clone()
    with torch.no_grad():
        OUT.append(scale(x).clone())
