"""print of a message and of a tensor's shape in forward.

FIX=0 as users write it
FIX=1 the print removed
FIX=2 torch._dynamo.config.reorderable_logging_functions.add(print)
FIX=3 if not torch.compiler.is_compiling(): print(..)
FIX=4 print moved out to the caller
FIX=5 torch._dynamo.config.ignore_logging_functions.add(print)
"""

import os

import torch

PROMISES = {
    3: {"compiles": [2, 1], "breaks": [1, 0]},
    4: {"compiles": [2, 1], "breaks": [1, 0]},
    5: {"compiles": [2, 1], "breaks": [1, 0], "since": "2.15"},
}
NEVER = {
    2: {"compiles": [2, 2], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 2:
    torch._dynamo.config.reorderable_logging_functions.add(print)
if FIX == 5:
    torch._dynamo.config.ignore_logging_functions.add(print)


@torch.compile(backend="eager")
def f(x):
    x = x * 2
    if FIX in (0, 2, 5):
        print("after mul", x.shape)
    if FIX == 3 and not torch.compiler.is_compiling():
        print("after mul", x.shape)
    return x + 1


OUT = [f(torch.arange(4.0)) for _ in range(2)]
