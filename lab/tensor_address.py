"""The address of a tensor decides: `x.data_ptr() % 16 == 0`.

FIX=0 as users write it
FIX=1 asked by the caller
"""

import os

import torch

PROMISES = {
    1: {"graphs": [0, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def f(x, aligned=True):
    if FIX == 0:
        x = x if x.data_ptr() % 16 == 0 else x.clone()
    elif not aligned:
        x = x.clone()
    return torch.tanh(x) * 2


OUT = []
for _ in range(2):
    x = torch.arange(4.0)
    OUT.append(f(x, x.data_ptr() % 16 == 0) if FIX == 1 else f(x))
