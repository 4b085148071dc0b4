"""torch.tensor(..) of numbers that item() took from tensors.

FIX=0 as users write it: torch.tensor([x.min().item(), x.max().item()])
FIX=1 torch.stack of the tensors
FIX=2 torch._dynamo.config.capture_scalar_outputs = True
"""

import os

import torch

PROMISES = {
    1: {"breaks": [3, 0]},
    2: {"breaks": [3, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

torch._dynamo.config.capture_scalar_outputs = FIX == 2


@torch.compile(backend="eager")
def ends(x):
    x = torch.tanh(x)
    if FIX == 1:
        pair = torch.stack([x.min(), x.max()])
    else:
        pair = torch.tensor([x.min().item(), x.max().item()])
    return pair * 2


OUT = [ends(torch.arange(4.0) + i) for i in range(3)]
