"""torch.repeat_interleave with counts in a tensor: the size of the result depends on values.

FIX=0 as users write it
FIX=1 output_size passed
FIX=2 torch._dynamo.config.capture_dynamic_output_shape_ops = True
FIX=3 capture_scalar_outputs = True
"""

import os

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
    2: {"breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

torch._dynamo.config.capture_dynamic_output_shape_ops = FIX == 2
torch._dynamo.config.capture_scalar_outputs = FIX == 3


@torch.compile(backend="eager")
def f(x, counts):
    size = 8 if FIX == 1 else None
    return torch.tanh(torch.repeat_interleave(x, counts, output_size=size)).sum()


OUT = []
for i in range(3):
    counts = torch.tensor([1 + i, 3 - i, 4])
    OUT.append(f(torch.arange(3.0), counts))
