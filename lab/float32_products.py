"""Products of float32 on a GPU with tensor cores, whose TF32 is off by default.

FIX=0 as users write it
FIX=1 torch.set_float32_matmul_precision("high"): results change in the third digit
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"ratio": {"step_ms": [0, 0.5]}, "results": "other"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 1:
    torch.set_float32_matmul_precision("high")
model = torch.nn.Sequential(torch.nn.Linear(4096, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 4096)).cuda()
compiled = torch.compile(model)
x = torch.randn(4096, 4096, device="cuda")

MEASURED = measure(lambda: compiled(x).sum().backward())
OUT = [compiled(x).detach().cpu()]
