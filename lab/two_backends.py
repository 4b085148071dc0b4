"""One function is compiled with two backends in different places.

FIX=0 as users write it
FIX=1 one backend
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


def scale(x):
    return x * 2 + 1


one = torch.compile(scale, backend="eager")
other = torch.compile(scale, backend="eager" if FIX == 1 else "aot_eager")
OUT = [run(torch.arange(4.0)) for run in (one, other, one, other)]
