"""print of a tensor's value (a loss) in the compiled function.

FIX=0 as users write it
FIX=1 torch._dynamo.config.reorderable_logging_functions.add(print)
FIX=2 the value returned and printed by the caller
FIX=3 torch.compiler.disable on a helper that prints
FIX=4 loss.item() in the print, reorderable_logging_functions
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "breaks": [1, 0]},
    2: {"compiles": [2, 1], "breaks": [1, 0]},
}
NEVER = {
    3: {"compiles": [2, 2], "breaks": [1, 1]},
    4: {"compiles": [2, 2], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX in (1, 4):
    torch._dynamo.config.reorderable_logging_functions.add(print)


@torch.compiler.disable
def show(v):
    print("loss", v)


@torch.compile(backend="eager")
def f(x):
    loss = (x * 2).sum()
    if FIX in (0, 1):
        print("loss", loss)
    if FIX == 3:
        show(loss)
    if FIX == 4:
        print("loss", loss.item())
    return loss + 1


OUT = []
for _ in range(2):
    y = f(torch.arange(4.0))
    if FIX == 2:
        print("loss", y)
    OUT.append(y)
