"""x.item() used in arithmetic only.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_scalar_outputs = True
FIX=2 the tensor itself (no item)
FIX=3 item() outside, passed as a float
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1], "breaks": [1, 0]},
    2: {"compiles": [3, 1], "breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_scalar_outputs = FIX == 1


@torch.compile(backend="eager")
def f(x, m=None):
    if FIX == 2:
        return x / x.max() + 1
    if FIX == 3:
        return x / m + 1
    return x / x.max().item() + 1


OUT = []
for i in range(4):
    x = torch.arange(4.0) + i
    OUT.append(f(x, x.max().item() if FIX == 3 else None))
