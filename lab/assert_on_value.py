"""An assert on a tensor's value.

FIX=0 as users write it: assert (x > -1).all()
FIX=1 torch._assert_async
FIX=2 the assert in the caller
FIX=3 with a message that formats the tensor
"""

import os

import torch

PROMISES = {}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def f(x):
    x = x * 2
    if FIX == 0:
        assert (x > -1).all()
    if FIX == 1:
        torch._assert_async((x > -1).all())
    if FIX == 3:
        assert (x > -1).all(), f"negative: {x.min()}"
    return x + 1


OUT = []
for _ in range(2):
    x = torch.arange(4.0)
    if FIX == 2:
        assert (x > -1).all()
    OUT.append(f(x))
