"""A function defines a module class and makes one module of it, in each call.

FIX=0 as users write it: each call of the function makes another class
FIX=1 the class is defined once, at the top of the module
"""

import os

import torch

PROMISES = {
    1: {"compiles": [4, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Shared(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.lin(x))


def make():
    if FIX == 1:
        return Shared()

    class Branch(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(8, 8)

        def forward(self, x):
            return torch.relu(self.lin(x))

    return Branch()


torch.manual_seed(0)
OUT = []
for branch in [make() for _ in range(4)]:
    OUT.append(torch.compile(branch, backend="eager")(torch.ones(2, 8)))
