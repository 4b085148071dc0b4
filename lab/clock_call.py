"""The clock is read in the middle: time.time(). OUT holds whether the time went on.

FIX=0 as users write it: time.time()
FIX=1 taken outside
FIX=2 torch._dynamo.config.reorderable_logging_functions is no help: added for time.time
FIX=3 torch.compiler.disable on a helper that calls it
FIX=4 torch.compiler.allow_in_graph(time.time), as the catalog's hint says
FIX=5 torch._dynamo.substitute_in_graph(time.time), as the catalog's hint says
"""

import os
import time

import torch

PROMISES = {
    1: {"compiles": [2, 1], "breaks": [1, 0], "2.8": {"compiles": [3, 1], "breaks": [1, 0]}},
}
NEVER = {
    2: {"error": "TypeError", "2.8": {"error": "InternalTorchDynamoError"}},
    3: {"compiles": [2, 2], "breaks": [1, 1], "2.8": {"compiles": [3, 3], "breaks": [1, 1]}},
    4: {"results": "other"},
    5: {"results": "other"},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 2:
    torch._dynamo.config.reorderable_logging_functions.add(time.time)
if FIX == 4:
    torch.compiler.allow_in_graph(time.time)
if FIX == 5:

    @torch._dynamo.substitute_in_graph(time.time)
    def _() -> float:
        return 0.0


now = torch.compiler.disable(lambda: time.time())


@torch.compile(backend="eager")
def f(x):
    x = x * 2
    if FIX == 1:
        t = 0.0
    elif FIX == 3:
        t = now()
    else:
        t = time.time()
    return x + 1, t


OUT, last = [], 0.0
for _ in range(3):
    y, t = f(torch.arange(4.0))
    if FIX == 1:
        t = time.time()
    OUT += [y, float(t) > last]
    last = float(t)
