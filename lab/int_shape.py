"""An int argument that is a shape or a slice: x[:n], torch.zeros(n), view(-1, n): n = 2, 3, 4, 6.

FIX=0 as users write it
FIX=1 pass n as a tensor
FIX=2 torch.compile(dynamic=True)
FIX=3 n as a tensor with capture_scalar_outputs
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {
        "compiles": [2, 1], "breaks": [0, 1], "graphs": [2, 0],
        "2.8": {"compiles": [2, 1], "graphs": [2, 0]},
    },
}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_scalar_outputs = FIX == 3


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def cut(x, n):
    return torch.cat([x[:n] * 2, torch.zeros(n)]) + torch.ones(2 * n)


OUT = []
for n in [2, 3, 4, 6]:
    OUT.append(cut(torch.arange(12.0), torch.tensor(n) if FIX in (1, 3) else n))
