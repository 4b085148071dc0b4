"""torch.nonzero: a result whose size depends on values.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_dynamic_output_shape_ops = True
FIX=2 torch.where(mask, x, 0) in place of gathering
FIX=3 torch.nonzero_static(size=4)
FIX=4 capture_scalar_outputs = True
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1], "breaks": [1, 0]},
    2: {"compiles": [3, 1], "breaks": [1, 0]},
}
NEVER = {
    4: {"compiles": [3, 3], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_dynamic_output_shape_ops = FIX == 1
torch._dynamo.config.capture_scalar_outputs = FIX == 4


@torch.compile(backend="eager")
def f(x):
    if FIX == 2:
        return torch.where(x > 2, x, 0.0).sum() + 1
    if FIX == 3:
        idx = torch.nonzero_static(x > 2, size=4, fill_value=-1)[:, 0]
        return torch.where(idx >= 0, x[idx], 0.0).sum() + 1
    idx = torch.nonzero(x > 2)[:, 0]
    return x[idx].sum() + 1


OUT = [f(torch.arange(4.0) + i) for i in range(3)]
