"""torch._dynamo.config.specialize_float = True (older programs set it) and a float that changes.

FIX=0 as users write it
FIX=1 torch._dynamo.config.specialize_float = False, the default
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [7, 2]},
}
NEVER = {
    2: {"compiles": [7, 7]},
}

FIX = int(os.environ.get("FIX", "0"))

torch._dynamo.config.specialize_float = FIX != 1


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def soft(x, t):
    return torch.softmax(x / t, -1)


OUT = [soft(torch.arange(4.0), 1.5 - i / 10) for i in range(7)]
