"""copy.deepcopy of a module in the compiled function.

FIX=0 as users write it
FIX=1 copied by the caller
"""

import copy
import os

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

net = torch.nn.Linear(4, 2)


@torch.compile(backend="eager")
def f(x, module):
    x = torch.tanh(x)
    module = module if FIX == 1 else copy.deepcopy(module)
    return module(x)


OUT = [f(torch.arange(8.0).view(2, 4), copy.deepcopy(net) if FIX == 1 else net).detach() for _ in range(2)]
