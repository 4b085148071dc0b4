"""A compiled AdamW step whose learning rate, a number, a scheduler changes, on a GPU.

FIX=0 as users write it
FIX=1 lr=torch.tensor(1e-3)
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"ratio": {"first_s": [0, 0.6]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(6)]).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=torch.tensor(1e-3) if FIX == 1 else 1e-3)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=50)
step = torch.compile(lambda: optimizer.step())
model(torch.ones(32, 256, device="cuda")).sum().backward()


def six_steps():
    for _ in range(6):
        step()
        scheduler.step()


MEASURED = measure(step, first=six_steps)
OUT = [len(list(model.parameters()))]
