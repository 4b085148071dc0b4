"""torch.masked_select: a result whose size depends on values.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_dynamic_output_shape_ops = True
FIX=2 torch.where in its place
FIX=3 capture_scalar_outputs = True
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1], "breaks": [1, 0]},
    2: {"compiles": [3, 1], "breaks": [1, 0]},
}
NEVER = {
    3: {"compiles": [3, 3], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))

torch._dynamo.config.capture_dynamic_output_shape_ops = FIX == 1
torch._dynamo.config.capture_scalar_outputs = FIX == 3


@torch.compile(backend="eager")
def f(x):
    if FIX == 2:
        return torch.where(x > 2, torch.tanh(x), 0.0).sum() + 1
    return torch.tanh(torch.masked_select(x, x > 2)).sum() + 1


OUT = [f(torch.arange(4.0) + i) for i in range(3)]
