"""topk(k), an int argument that is a size of the result: k = 2, 3, 4, 5.

FIX=0 as users write it
FIX=1 pass k as a tensor
FIX=2 torch.compile(dynamic=True)
FIX=3 a fixed k of 5, cut outside
FIX=4 k as a tensor with torch._dynamo.config.capture_scalar_outputs = True
FIX=5 as FIX=1 with the inductor backend
FIX=6 as FIX=4 with the inductor backend
"""

import os

import torch

PROMISES = {}
NEVER = {
    5: {
        "compiles": [2, 1], "breaks": [0, 2], "graphs": [2, 0],
        "2.8": {"compiles": [2, 1], "breaks": [0, 1], "graphs": [2, 0]},
    },
}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_scalar_outputs = FIX in (4, 6)


@torch.compile(backend="inductor" if FIX in (5, 6) else "eager", dynamic=True if FIX == 2 else None)
def best(x, k):
    return torch.topk(x, k).values * 2


OUT = []
for k in [2, 3, 4, 5]:
    x = torch.arange(24.0).view(2, 12)
    OUT.append(best(x, 5)[:, :k] if FIX == 3 else best(x, torch.tensor(k) if FIX in (1, 4, 5, 6) else k))
