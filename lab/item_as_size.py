"""n = lengths.max().item(); x[:, :n]: a value becomes a shape.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_scalar_outputs = True
FIX=2 capture_scalar_outputs and torch._check(n >= 0); torch._check(n <= x.size(1))
FIX=3 a mask of full length in place of the cut
FIX=4 n taken by the caller, passed as an int
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1], "breaks": [1, 0], "since": "2.15"},
    3: {"compiles": [3, 1], "breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_scalar_outputs = FIX in (1, 2)


@torch.compile(backend="eager")
def f(x, lengths, n=None):
    if FIX == 3:
        return (x * (torch.arange(x.size(1)) < lengths.max())).sum(1)
    if FIX != 4:
        n = lengths.max().item()
    if FIX == 2:
        torch._check(n >= 0)
        torch._check(n <= x.size(1))
    return x[:, :n].sum(1)


OUT = []
for i in range(4):
    x, lengths = torch.arange(24.0).view(2, 12), torch.tensor([2 + i, 3 + i])
    OUT.append(f(x, lengths, int(lengths.max()) if FIX == 4 else None))
