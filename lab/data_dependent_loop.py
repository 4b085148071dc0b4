"""while on a tensor value (iterate until converged).

FIX=0 as users write it
FIX=1 a fixed number of turns with torch.where
FIX=2 the loop outside, its body compiled
FIX=3 torch._higher_order_ops.while_loop
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1], "breaks": [2, 0]},
    2: {"compiles": [3, 1], "breaks": [2, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


def body(x):
    return x * 0.5 + 0.1


@torch.compile(backend="eager")
def f(x):
    if FIX == 1:
        for _ in range(8):
            x = torch.where(x.max() > 1, body(x), x)
        return x + 1
    if FIX == 3:
        from torch._higher_order_ops.while_loop import while_loop

        return while_loop(lambda x: x.max() > 1, lambda x: (body(x),), (x,))[0] + 1
    while x.max() > 1:
        x = body(x)
    return x + 1


step = torch.compile(body, backend="eager")
OUT = []
for i in range(2):
    x = torch.arange(4.0) + i
    if FIX == 2:
        while x.max() > 1:
            x = step(x)
        OUT.append(x + 1)
    else:
        OUT.append(f(x))
