"""torch.unique: a result whose size depends on values.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_dynamic_output_shape_ops = True
FIX=2 capture_scalar_outputs = True
FIX=3 counted without it: torch.bincount(x, minlength=8)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1], "breaks": [1, 0]},
}
NEVER = {
    2: {"compiles": [3, 3], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))

torch._dynamo.config.capture_dynamic_output_shape_ops = FIX == 1
torch._dynamo.config.capture_scalar_outputs = FIX == 2


@torch.compile(backend="eager")
def kinds(x):
    x = x % 8
    if FIX == 3:
        return (torch.bincount(x, minlength=8) > 0).sum()
    return torch.ones_like(torch.unique(x)).sum()


OUT = [kinds(torch.arange(6) * i) for i in range(1, 5)]
