"""A compiled function gets parameters of many shapes, as the step of a hand-written optimizer does.

FIX=0 as users write it
FIX=1 torch._dynamo.config.force_parameter_static_shapes = False
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [9, 2]},
}
NEVER = {
    2: {"compiles": [9, 9]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.force_parameter_static_shapes = False


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def decayed(weight, rate):
    return weight * (1 - rate)


OUT = []
with torch.no_grad():
    for n in range(3, 14):
        weight = torch.nn.Parameter(torch.arange(float(n * 2)).view(n, 2))
        OUT.append(decayed(weight, 0.5))
