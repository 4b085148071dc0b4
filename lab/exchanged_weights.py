"""Adapters of several ranks are put into one compiled module, one after the other.

FIX=0 as users write it
FIX=1 padded with zeros to the largest rank
FIX=2 torch._dynamo.config.force_parameter_static_shapes = False
FIX=3 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [5, 1]},
}
NEVER = {
    2: {"compiles": [5, 5]},
    3: {"compiles": [5, 5]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 2:
    torch._dynamo.config.force_parameter_static_shapes = False
RANKS = (4, 8, 12, 16, 24)


class Adapted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.base = torch.nn.Linear(16, 16)

    def fit(self, rank):
        down, up = torch.nn.Linear(16, rank, bias=False), torch.nn.Linear(rank, 16, bias=False)
        if FIX == 1:
            down.weight = torch.nn.Parameter(torch.nn.functional.pad(down.weight, (0, 0, 0, 24 - rank)))
            up.weight = torch.nn.Parameter(torch.nn.functional.pad(up.weight, (0, 24 - rank)))
        self.down, self.up = down, up

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


torch.manual_seed(0)
module = Adapted()
compiled = torch.compile(module, backend="eager", dynamic=True if FIX == 3 else None)
OUT = []
with torch.no_grad():
    for rank in RANKS:
        module.fit(rank)
        OUT.append(compiled(torch.ones(3, 16)))
