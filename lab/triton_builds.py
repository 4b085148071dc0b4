"""Many Triton kernels in one graph, and one compile thread: they are built one after the other.

FIX=0 as users write it
FIX=1 torch._inductor.config.compile_threads = 16
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"ratio": {"first_s": [0, 0.75]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

torch._inductor.config.compile_threads = 16 if FIX == 1 else 1


@torch.compile
def total(parts):
    out = 0
    for number, part in enumerate(parts):
        part = torch.softmax(part * (number + 1), -1)
        for _ in range(number % 4 + 1):
            part = torch.sin(part) + torch.nn.functional.layer_norm(part, (part.shape[-1],))
        out = out + part.sum()
    return out


widths = [256 + 32 * number for number in range(24)]
parts = [torch.ones(64 + at, width, device="cuda", requires_grad=True) for at, width in enumerate(widths)]
MEASURED = measure(lambda: total(parts).backward(), runs=5)
OUT = [total(parts).detach().cpu()]
