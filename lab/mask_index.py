"""x[mask]: boolean indexing.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_dynamic_output_shape_ops = True
FIX=2 torch.where / multiplication by the mask
FIX=3 the selection outside, the selected rows passed (size changes)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1], "breaks": [1, 0]},
    2: {"compiles": [3, 1], "breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_dynamic_output_shape_ops = FIX == 1


@torch.compile(backend="eager")
def f(x, mask):
    if FIX == 2:
        return (torch.tanh(x) * mask).sum() + 1
    if FIX != 3:
        x = x[mask]
    return torch.tanh(x).sum() + 1


OUT = []
for i in range(4):
    x = torch.arange(8.0) + i
    mask = x > 4
    OUT.append(f(x[mask] if FIX == 3 else x, mask))
