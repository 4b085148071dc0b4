"""A compiled AdamW under OneCycleLR, which changes the betas with the learning rate.

FIX=0 as users write it
FIX=1 OneCycleLR(.., cycle_momentum=False)
FIX=2 lr=torch.tensor(..)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [12, 5], "results": "other"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
torch.manual_seed(0)
net = torch.nn.Linear(4, 2)
opt = torch.optim.AdamW(net.parameters(), lr=torch.tensor(0.1) if FIX == 2 else 0.1)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=20, cycle_momentum=FIX != 1)


@torch.compile(backend="aot_eager")
def update():
    opt.step()


OUT = []
for _ in range(12):
    net(torch.arange(8.0).view(2, 4)).sum().backward()
    update()
    opt.zero_grad()
    sched.step()
    OUT.append(net.weight.detach().clone())
