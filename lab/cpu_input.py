"""An input that was left on the CPU, in a program for a GPU: its kernel is C++, which has to be built.

FIX=0 as users write it
FIX=1 the input on the device
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"ratio": {"first_s": [0, 0.5]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

scale = torch.ones(256, device="cuda" if FIX == 1 else "cpu")


@torch.compile(mode="reduce-overhead")
def score(x, w, scale):
    return torch.relu(x @ w), (scale * 2).sum()


x, w = torch.ones(64, 256, device="cuda"), torch.ones(256, 256, device="cuda")
with torch.no_grad():
    MEASURED = measure(lambda: score(x, w, scale))
    OUT = [part.cpu() for part in score(x, w, scale)]
