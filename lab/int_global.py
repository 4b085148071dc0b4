"""A global number that changes between calls.

FIX=0 as users write it
FIX=1 a global tensor
FIX=2 torch.compile(dynamic=True)
FIX=3 passed as an argument
FIX=4 TORCH_COMPILE_DYNAMIC_SOURCES="G['STEP']"
"""

import os

import torch

PROMISES = {
    3: {"compiles": [7, 2]},
    4: {"compiles": [7, 1], "since": "2.8"},
}
NEVER = {
    2: {"compiles": [7, 7]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 4:
    torch.compiler.config.dynamic_sources = "G['STEP']"
STEP = 0


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def update(x, step=None):
    return x * 0.9 + (STEP if step is None else step) * 0.1


OUT = []
for i in range(7):
    STEP = torch.tensor(i) if FIX == 1 else i
    OUT.append(update(torch.arange(4.0), i) if FIX == 3 else update(torch.arange(4.0)))
