"""mode="reduce-overhead" with dynamic=True on a GPU: a CUDA graph is recorded for each of sixty batch sizes.

FIX=0 as users write it
FIX=1 batches padded to multiples of 16: few recordings; the step pays for the padding
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"recordings": [60, 4]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 64)).cuda().eval()
compiled = torch.compile(model, mode="reduce-overhead", dynamic=True)


def run():
    out = 0
    for rows in range(2, 62):
        x = torch.ones(rows, 256, device="cuda")
        if FIX == 1:
            x = torch.nn.functional.pad(x, (0, 0, 0, -rows % 16))
        torch.compiler.cudagraph_mark_step_begin()
        out = out + compiled(x)[:rows].sum().item()
    return out


with torch.no_grad():
    MEASURED = measure(run, runs=5)
    OUT = [run()]
