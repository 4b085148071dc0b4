"""A mixture of experts that splits its tokens by `tolist()`, on a GPU.

FIX=0 as users write it
FIX=1 torch._grouped_mm with offsets on the device
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"ratio": {"step_ms": [0, 0.6]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

EXPERTS, WIDTH, HIDDEN = 8, 512, 1024
weights = torch.randn(EXPERTS, WIDTH, HIDDEN, device="cuda", dtype=torch.bfloat16)
gate = torch.randn(WIDTH, EXPERTS, device="cuda", dtype=torch.bfloat16)


@torch.compile
def mixture(x):
    expert = (x @ gate).argmax(-1)
    order = expert.argsort()
    if FIX == 0:
        parts = torch.split(x[order], torch.bincount(expert, minlength=EXPERTS).tolist())
        return torch.cat([part @ weights[number] for number, part in enumerate(parts)])
    counts = torch.zeros(EXPERTS, device=x.device, dtype=torch.int32)
    ends = counts.scatter_add_(0, expert, torch.ones_like(expert, dtype=torch.int32)).cumsum(0).to(torch.int32)
    return torch._grouped_mm(x[order], weights, offs=ends)


x = torch.randn(4096, WIDTH, device="cuda", dtype=torch.bfloat16)
with torch.no_grad():
    MEASURED = measure(lambda: mixture(torch.randn(4096, WIDTH, device="cuda", dtype=torch.bfloat16)))
    OUT = [mixture(x).shape]
