"""time.sleep in the compiled function (a wait, a throttle).

FIX=0 as users write it
FIX=1 taken out to the caller
FIX=2 if not torch.compiler.is_compiling()
FIX=3 torch.compiler.disable on a helper
"""

import os
import time

import torch

PROMISES = {
    1: {"compiles": [2, 1], "breaks": [1, 0]},
    2: {"compiles": [2, 1], "breaks": [1, 0]},
}
NEVER = {
    3: {"compiles": [2, 2], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))

wait = torch.compiler.disable(lambda: time.sleep(0.001))


@torch.compile(backend="eager")
def f(x):
    x = torch.tanh(x)
    if FIX == 0 or FIX == 2 and not torch.compiler.is_compiling():
        time.sleep(0.001)
    if FIX == 3:
        wait()
    return x * 2


OUT = []
for _ in range(2):
    if FIX == 1:
        time.sleep(0.001)
    OUT.append(f(torch.arange(4.0)))
