"""One compiled function is called with 12 different modules of other widths: past the limit it runs in eager mode.

FIX=0 as users write it: apply(module, x) compiled
FIX=1 torch._dynamo.config.recompile_limit = 32
FIX=2 each module compiled by itself (other code objects only if their classes differ)
FIX=3 torch.compile(dynamic=True)
FIX=4 torch._dynamo.config.accumulated_recompile_limit = 512 alone
FIX=5 the loop over the modules compiled as one
"""

import os

import torch

PROMISES = {
    5: {"compiles": [9, 1], "graphs": [8, 1], "2.6": {"compiles": [8, 1]}},
    1: {"compiles": [9, 12], "graphs": [8, 12], "since": "2.8"},
}
NEVER = {
    2: {"compiles": [9, 9], "graphs": [8, 8], "2.6": {"compiles": [8, 8]}},
    3: {"compiles": [9, 9], "graphs": [8, 8], "2.6": {"compiles": [8, 8]}},
    4: {"compiles": [9, 9], "graphs": [8, 8], "since": "2.8"},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.recompile_limit = 32
if FIX == 4:
    torch._dynamo.config.accumulated_recompile_limit = 512
mods = [torch.nn.Linear(4, n) for n in range(2, 14)]


def apply(m, x):
    return torch.tanh(m(x)).sum()


def every(x):
    return sum(apply(m, x) for m in mods)


one = torch.compile(apply, backend="eager", dynamic=True if FIX == 3 else None)
each = [torch.compile(m, backend="eager") for m in mods]
every = torch.compile(every, backend="eager")
OUT = []
for i in range(2):
    x = torch.arange(8.0).view(2, 4)
    if FIX == 5:
        OUT.append(every(x))
    elif FIX == 2:
        OUT.append(sum(torch.tanh(m(x)).sum() for m in each))
    else:
        OUT.append(sum(one(m, x) for m in mods))
