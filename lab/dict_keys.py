"""A batch dict whose optional key comes and goes.

FIX=0 as users write it
FIX=1 the key is always there (zeros)
FIX=2 only what is used is passed: batch["x"]
FIX=3 torch.compile(dynamic=True)
FIX=4 a key that is never used comes and goes
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
    2: {"compiles": [2, 1]},
}
NEVER = {
    3: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def score(batch):
    y = (batch if FIX == 2 else batch["x"]) * 2
    if FIX not in (2, 4) and "bias" in batch:
        y = y + batch["bias"]
    return y


OUT = []
for i in range(5):
    b = {"x": torch.arange(4.0)}
    if i % 2:
        b["bias"] = torch.zeros(4)
    elif FIX == 1:
        b["bias"] = torch.zeros(4)
    OUT.append(score(b["x"] if FIX == 2 else b))
