"""Two inputs whose sizes are equal by chance at first (4 and 4, 6 and 6) and then are not (5 and 7).

FIX=0 as users write it
FIX=1 maybe_mark_dynamic on both: (x, 0), (y, 0)
FIX=2 torch.compile(dynamic=True)
FIX=3 torch.fx.experimental._config.use_duck_shape = False
FIX=4 use_duck_shape = False and dynamic=True
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
    4: {"compiles": [2, 1]},
}
NEVER = {
    2: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX in (3, 4):
    import torch.fx.experimental._config

    torch.fx.experimental._config.use_duck_shape = False


@torch.compile(backend="eager", dynamic=True if FIX in (2, 4) else None)
def total(x, y):
    return (x * 2).sum() + (y * 3).sum()


OUT = []
for n, m in [(4, 4), (6, 6), (5, 7), (8, 3)]:
    x, y = torch.arange(float(n)), torch.arange(float(m))
    if FIX == 1:
        torch._dynamo.maybe_mark_dynamic(x, 0)
        torch._dynamo.maybe_mark_dynamic(y, 0)
    OUT.append(total(x, y))
