"""Products of bfloat16 in common sizes on a GPU.

FIX=0 as users write it
FIX=1 mode="max-autotune-no-cudagraphs": cuBLAS is as fast as what is tried
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {}
NEVER = {
    1: {"ratio": {"step_ms": [0.9, 10]}},
}

FIX = int(os.environ.get("FIX", "0"))

layers = [torch.nn.Linear(4096, 8192), torch.nn.SiLU(), torch.nn.Linear(8192, 4096)]
model = torch.nn.Sequential(*layers).cuda().bfloat16().eval()
compiled = torch.compile(model, mode="max-autotune-no-cudagraphs" if FIX == 1 else None)
x = torch.ones(4096, 4096, device="cuda", dtype=torch.bfloat16)
with torch.no_grad():
    MEASURED = measure(lambda: compiled(x))
    OUT = [compiled(x).shape]
