"""An assert on a tensor's value whose message formats the tensor.

FIX=0 as users write it: assert (x > -1).all(), f"negative: {x.min()}"
FIX=1 a constant message
FIX=2 the assert in the caller
FIX=3 torch._assert_async
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "breaks": [1, 0]},
    2: {"compiles": [2, 1], "breaks": [1, 0]},
    3: {"compiles": [2, 1], "breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def f(x):
    x = x * 2
    if FIX == 0:
        assert (x > -1).all(), f"negative: {x.min()}"
    if FIX == 1:
        assert (x > -1).all(), "negative"
    if FIX == 3:
        torch._assert_async((x > -1).all())
    return x + 1


OUT = []
for _ in range(2):
    x = torch.arange(4.0)
    if FIX == 2:
        assert (x > -1).all(), f"negative: {x.min()}"
    OUT.append(f(x))
