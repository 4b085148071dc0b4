"""A float argument (learning rate, temperature) that takes a new value each call, used in arithmetic.

FIX=0 as users write it
FIX=1 pass it as a tensor
FIX=2 torch.compile(dynamic=True)
FIX=3 torch._dynamo.config.specialize_float = False
FIX=4 TORCH_COMPILE_DYNAMIC_SOURCES
FIX=5 torch._dynamo.config.specialize_float = True (the default of older versions)
"""

import os

import torch

PROMISES = {}
NEVER = {
    3: {"compiles": [2, 2]},
    5: {"compiles": [2, 7]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX in (3, 5):
    torch._dynamo.config.specialize_float = FIX == 5
if FIX == 4:
    torch.compiler.config.dynamic_sources = "L['t']"


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def soft(x, t):
    return torch.softmax(x / t, -1)


OUT = []
for i in range(7):
    t = 1.5 - i / 10
    OUT.append(soft(torch.arange(4.0), torch.tensor(t) if FIX == 1 else t))
