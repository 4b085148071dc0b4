"""A compiled function that calls optimizer.step().

FIX=0 as users write it
FIX=1 optimizer.step itself compiled
"""

import os

import torch

PROMISES = {
    1: {"breaks": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
weight = torch.nn.Parameter(torch.arange(4.0))
optimizer = torch.optim.SGD([weight], lr=0.1)


def update():
    optimizer.step()


update = torch.compile(optimizer.step if FIX == 1 else update, backend="eager")
for _ in range(3):
    weight.grad = torch.ones(4)
    update()
OUT = [weight.detach().clone()]
