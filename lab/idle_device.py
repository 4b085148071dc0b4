"""Forty tiny layers and a batch of one on a GPU: the device waits for launches.

FIX=0 as users write it
FIX=1 mode="reduce-overhead": the launches become one CUDA graph
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"ratio": {"step_ms": [0, 0.5]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

layers = [torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh()) for _ in range(40)]
model = torch.nn.Sequential(*layers).cuda().eval()
compiled = torch.compile(model, mode="reduce-overhead" if FIX == 1 else None)
x = torch.ones(1, 64, device="cuda")

with torch.no_grad():
    MEASURED = measure(lambda: compiled(x))
    OUT = [compiled(x).cpu()]
