"""An argument is a list in some calls and a tuple in others.

FIX=0 as users write it
FIX=1 converted to one type before the call: list(pair)
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {
    2: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def scale(x, pair):
    return x * pair[0] + pair[1]


OUT = []
for i in range(4):
    pair = (torch.tensor(2.0), torch.tensor(3.0)) if i % 2 else [torch.tensor(2.0), torch.tensor(3.0)]
    OUT.append(scale(torch.arange(4.0), list(pair) if FIX == 1 else pair))
