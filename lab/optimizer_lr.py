"""A compiled optimizer step with an LR scheduler: lr is a float in param_groups.

FIX=0 as users write it: torch.compile(opt.step)
FIX=1 lr=torch.tensor(..)
FIX=2 torch.compile(dynamic=True)
FIX=3 a function that calls opt.step() is compiled
FIX=4 lr tensor, and opt.step in a function
FIX=5 compiled before the scheduler is made (the scheduler wraps opt.step)
FIX=6 as FIX=5 with lr=torch.tensor(..)
FIX=7 the hint of the catalog: dont_skip_tracing on opt.step
"""

import os

import torch

PROMISES = {
    1: {"compiles": [5, 4], "breaks": [2, 2], "graphs": [2, 1]},
    5: {"compiles": [5, 4], "breaks": [2, 1], "graphs": [2, 2]},
    6: {"compiles": [5, 3], "breaks": [2, 1], "graphs": [2, 1]},
}
NEVER = {
    7: {"error": "RecursionError", "since": "2.8"},
}

FIX = int(os.environ.get("FIX", "0"))
net = torch.nn.Linear(4, 2)
opt = torch.optim.Adam(net.parameters(), lr=torch.tensor(0.1) if FIX in (1, 4, 6) else 0.1)
if FIX in (5, 6):
    step = torch.compile(opt.step, backend="eager")
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)


def outer():
    opt.step()


if FIX == 7:
    opt.step = torch._dynamo.dont_skip_tracing(opt.step)
if FIX not in (5, 6):
    step = torch.compile(outer if FIX in (3, 4) else opt.step, backend="eager", dynamic=True if FIX == 2 else None)
OUT = []
for i in range(7):
    net(torch.arange(8.0).view(2, 4)).sum().backward()
    step()
    opt.zero_grad()
    sched.step()
    OUT.append(net.weight.detach().clone())
