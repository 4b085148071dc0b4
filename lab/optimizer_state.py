"""A compiled optimizer makes its state in its first step: a version without it is needed once, as is expected.

FIX=0 as users write it: torch.compile(opt.step)
FIX=1 torch.compile(dynamic=True)
FIX=2 one step in eager mode first, with gradients of zero and a learning rate of zero
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [4, 4], "breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))

net = torch.nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.0 if FIX == 2 else 0.1, momentum=0.9)
if FIX == 2:
    for parameter in net.parameters():
        parameter.grad = torch.zeros_like(parameter)
    opt.step()
    opt.param_groups[0]["lr"] = 0.1
step = torch.compile(opt.step, backend="eager", dynamic=True if FIX == 1 else None)
OUT = []
for i in range(3):
    opt.zero_grad()
    net(torch.arange(8.0).view(2, 4)).sum().backward()
    step()
    OUT.append(net.weight.detach().clone())
