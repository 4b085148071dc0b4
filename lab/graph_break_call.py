"""torch._dynamo.graph_break() in the user's own code.

FIX=0 as users write it
FIX=1 the call removed
FIX=2 moved to the end of the function
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def f(x):
    x = torch.exp(x)
    if FIX == 0:
        torch._dynamo.graph_break()
    x = torch.log(x) + 1
    if FIX == 2:
        torch._dynamo.graph_break()
    return x


OUT = [f(torch.arange(4.0)) for _ in range(2)]
