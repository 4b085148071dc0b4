"""warnings.warn in forward.

FIX=0 as users write it
FIX=1 torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)
FIX=2 if not torch.compiler.is_compiling()
FIX=3 torch._dynamo.config.ignore_logging_functions.add(warnings.warn)
FIX=4 warned before the compiled call
"""

import os
import warnings

import torch

PROMISES = {
    1: {"compiles": [2, 1], "breaks": [1, 0]},
    2: {"compiles": [2, 1], "breaks": [1, 0]},
    4: {"compiles": [2, 1], "breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 1:
    torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)
if FIX == 3:
    torch._dynamo.config.ignore_logging_functions.add(warnings.warn)


@torch.compile(backend="eager")
def f(x):
    x = x * 2
    if FIX in (0, 1, 3) or FIX == 2 and not torch.compiler.is_compiling():
        warnings.warn("slow path")
    return x + 1


OUT = []
for _ in range(2):
    if FIX == 4:
        warnings.warn("slow path")
    OUT.append(f(torch.arange(4.0)))
