"""Convolutions of float16 in NCHW on a GPU.

FIX=0 as users write it
FIX=1 channels last: Inductor's own layout optimization has done most of it already
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {}
NEVER = {
    1: {"ratio": {"step_ms": [0.75, 10]}},
}

FIX = int(os.environ.get("FIX", "0"))

layers = [torch.nn.Sequential(torch.nn.Conv2d(64, 64, 3, padding=1), torch.nn.ReLU()) for _ in range(8)]
model = torch.nn.Sequential(*layers).cuda().half()
x = torch.ones(32, 64, 56, 56, device="cuda", dtype=torch.float16)
if FIX == 1:
    model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
compiled = torch.compile(model)
MEASURED = measure(lambda: compiled(x).sum().backward())
OUT = [compiled(x).shape]
