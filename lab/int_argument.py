"""A Python step counter is an argument that only enters arithmetic: step(x, 0), step(x, 1), ...

FIX=0 as users write it
FIX=1 pass it as a tensor
FIX=2 torch.compile(dynamic=True)
FIX=3 TORCH_COMPILE_DYNAMIC_SOURCES
FIX=4 mark_static does not exist for ints: dynamic=False (one version a value)
FIX=5 start counting at 2 (0 and 1 are constants to torch)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
    3: {"compiles": [2, 1], "since": "2.8"},
}
NEVER = {
    4: {"compiles": [2, 7]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 3:
    torch.compiler.config.dynamic_sources = "L['step']"


@torch.compile(backend="eager", dynamic=True if FIX == 2 else False if FIX == 4 else None)
def update(x, step):
    return x * 0.9 + step * 0.1


OUT = []
for step in range(7):
    x = torch.arange(4.0)
    step = torch.tensor(step) if FIX == 1 else step
    OUT.append(update(x, step) if FIX != 5 else update(x, step + 2) - 0.2)
