"""The program adds names to a set while it trains, and the compiled code asks whether a name is in it.

FIX=0 as users write it
FIX=1 the set has all its items before the first call
FIX=2 whether the name is in it, asked by the caller, is an argument
FIX=3 a frozenset, made anew with each change
"""

import os

import torch

PROMISES = {
    1: {"compiles": [4, 1]},
    2: {"compiles": [4, 2]},
}
NEVER = {
    3: {"compiles": [4, 4]},
}

FIX = int(os.environ.get("FIX", "0"))
NAMES = ["embedding", "block0", "block1", "head"]


class Router(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        self.frozen = set(NAMES if FIX == 1 else ())

    def forward(self, x, frozen=None):
        if frozen if FIX == 2 else "head" in self.frozen:
            x = x.detach()
        return self.lin(x)


router = Router()
compiled = torch.compile(router, backend="eager")
OUT = []
for name in NAMES:
    if FIX == 3:
        router.frozen = frozenset(router.frozen | {name})
    else:
        router.frozen.add(name)
    arguments = ("head" in router.frozen,) if FIX == 2 else ()
    OUT.append(compiled(torch.arange(8.0).view(2, 4), *arguments))
