"""tolist() gives the bounds of two slices in one index, as in `x[a:b, c:d]`.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_scalar_outputs = True
FIX=2 the same, and one slice after the other: `x[a:b][:, c:d]`
FIX=3 cut by the caller, before the compiled function
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1], "breaks": [1, 0], "since": "2.15"},
    3: {"breaks": [1, 0]},
}
NEVER = {
    1: {"error": "InternalTorchDynamoError", "since": "2.15"},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX in (1, 2):
    torch._dynamo.config.capture_scalar_outputs = True


@torch.compile(backend="eager")
def crop(x, box):
    if FIX == 3:
        return torch.tanh(x).mean()
    x = x * 2
    top, bottom, left, right = box.tolist()
    if FIX == 2:
        x = x[top:bottom][:, left:right]
    else:
        x = x[top:bottom, left:right]
    return torch.tanh(x).mean()


OUT = []
for _ in range(2):
    image, box = torch.arange(64.0).reshape(8, 8), torch.tensor([2, 6, 3, 7])
    OUT.append(crop(2 * image[2:6, 3:7] if FIX == 3 else image, box))
