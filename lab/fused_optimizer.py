"""AdamW over 24 layers on a GPU, with fused=True.

FIX=0 as users write it
FIX=1 the step compiled with mode="reduce-overhead": slower than fused, and it has to be compiled
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {}
NEVER = {
    1: {"ratio": {"first_s": [5, 100000]}},
}

FIX = int(os.environ.get("FIX", "0"))

model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(24)]).cuda()
rate = torch.tensor(1e-3) if FIX == 1 else 1e-3
optimizer = torch.optim.AdamW(model.parameters(), lr=rate, fused=FIX == 0)
model(torch.ones(32, 512, device="cuda")).sum().backward()
step = torch.compile(lambda: optimizer.step(), mode="reduce-overhead") if FIX == 1 else optimizer.step
MEASURED = measure(step)
OUT = [len(list(model.parameters()))]
