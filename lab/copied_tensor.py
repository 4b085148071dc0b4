"""copy.copy of a tensor, under fullgraph=True.

FIX=0 as users write it
FIX=1 x.clone()
"""

import copy
import os

import torch

PROMISES = {
    1: {"error_before": "Unsupported"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", fullgraph=True)
def f(x):
    x = x * 2
    y = x.clone() if FIX == 1 else copy.copy(x)
    return torch.relu_(y)


OUT = [f(torch.arange(4.0) - 2) for _ in range(2)]
