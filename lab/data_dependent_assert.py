"""A slice by a value: n = lengths.max().item(), then `if n > 4`.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_scalar_outputs = True alone
FIX=2 capture_scalar_outputs and torch._check(n > 4) where it always holds
FIX=3 the branch taken by the caller
"""

import os

import torch

PROMISES = {
    2: {"breaks": [1, 0]},
    3: {"breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

torch._dynamo.config.capture_scalar_outputs = FIX in (1, 2)


@torch.compile(backend="eager")
def f(x, lengths, is_long=None):
    if FIX == 3:
        return torch.tanh(x).sum() * 2 if is_long else x.sum()
    n = lengths.max().item()
    if FIX == 2:
        torch._check(n > 4)
    if n > 4:
        return torch.tanh(x).sum() * 2
    return x.sum()


OUT = []
for i in range(3):
    lengths = torch.tensor([5 + i, 6 + i])
    OUT.append(f(torch.arange(4.0), lengths, bool(lengths.max() > 4) if FIX == 3 else None))
