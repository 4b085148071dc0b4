"""Some calls run under torch.autocast, others do not.

FIX=0 as users write it
FIX=1 each call under the same autocast context (other results: half precision)
FIX=2 torch.compile(dynamic=True)
FIX=3 the context inside the compiled function, switched by a bool
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "results": "other"},
}
NEVER = {
    2: {"compiles": [2, 2]},
    3: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

lin = torch.nn.Linear(4, 4)


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def forward(x, half=None):
    if half is not None:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            return lin(x)
    return lin(x)


OUT = []
for i in range(4):
    x = torch.arange(8.0).view(2, 4) / 3
    if FIX == 3:
        OUT.append(forward(x, i % 2 == 1).float())
        continue
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=i % 2 == 1 or FIX == 1):
        OUT.append(forward(x).float())
