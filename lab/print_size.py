"""print of a size that is dynamic in the compiled function.

FIX=0 as users write it
FIX=1 torch._dynamo.config.reorderable_logging_functions.add(print)
FIX=2 if not torch.compiler.is_compiling()
"""

import os

import torch

PROMISES = {
    2: {"breaks": [2, 0]},
}
NEVER = {
    1: {"breaks": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.reorderable_logging_functions.add(print)


@torch.compile(backend="eager", dynamic=True)
def show(x):
    y = x * 2
    if FIX != 2:
        print("rows", x.shape[0])
    elif not torch.compiler.is_compiling():
        print("rows", x.shape[0])
    return y + 1


OUT = []
for rows in (4, 5):
    OUT.append(show(torch.arange(4.0 * rows).reshape(rows, 4)))
