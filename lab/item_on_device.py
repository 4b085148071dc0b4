"""A branch on `loss.item()` in the step, on a GPU: the device is waited for, and the graph breaks.

FIX=0 as users write it
FIX=1 torch.where on the tensor
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"breaks": [1, 0], "ratio": {"step_ms": [0, 0.9]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).cuda()


@torch.compile
def step(x, y):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    if FIX == 1:
        return torch.where(loss > 100, loss * 0.1, loss)
    if loss.item() > 100:
        loss = loss * 0.1
    return loss * 1.0


x, y = torch.ones(128, 512, device="cuda"), torch.zeros(128, dtype=torch.int64, device="cuda")
MEASURED = measure(lambda: step(x, y).backward())
OUT = [step(x, y).detach().cpu()]
