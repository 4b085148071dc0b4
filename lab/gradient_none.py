"""The step of an optimizer is compiled, and each step has gradients of other parameters: heads that are trained in turn.

FIX=0 as users write it
FIX=1 a gradient of zeros for each parameter before the first step, and zero_grad(set_to_none=False)
FIX=2 zero_grad(set_to_none=False) alone
FIX=3 optimizer.step itself compiled
"""

import os

import torch

PROMISES = {
    1: {"graphs": [3, 1]},
}
NEVER = {
    2: {"graphs": [3, 3]},
    3: {"graphs": [3, 3]},
}

FIX = int(os.environ.get("FIX", "0"))
heads = torch.nn.ModuleList(torch.nn.Linear(4, 1) for _ in range(3))
optimizer = torch.optim.SGD(heads.parameters(), lr=0.1)


def update():
    optimizer.step()


update = torch.compile(optimizer.step if FIX == 3 else update, backend="eager")
if FIX == 1:
    for parameter in heads.parameters():
        parameter.grad = torch.zeros_like(parameter)
for i in range(6):
    optimizer.zero_grad(set_to_none=FIX not in (1, 2))
    heads[i % 3](torch.arange(8.0).view(2, 4)).sum().backward()
    update()
OUT = [parameter.detach().clone() for parameter in heads.parameters()]
