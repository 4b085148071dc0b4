"""Kernels are built one after the other: compile_threads is 1, and a graph has several.

FIX=0 as users write it
FIX=1 torch._inductor.config.compile_threads = 2
FIX=2 the cache folder kept between runs (see cache_kept)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [1, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

torch._inductor.config.compile_threads = 2 if FIX == 1 else 1


@torch.compile
def f(x):
    for _ in range(8):
        x = torch.sort(x, -1).values
        x = torch.softmax(x, -1) + x.cumsum(-1)
    return x


OUT = [f(torch.arange(32.0).view(4, 8))]
