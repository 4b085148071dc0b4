"""The length is passed as a Python int too: f(x, n) with n == len(x).

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic(x, 0)
FIX=3 TORCH_COMPILE_DYNAMIC_SOURCES with both names
"""

import os

import torch

PROMISES = {
    3: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


if FIX == 3:
    torch.compiler.config.dynamic_sources = "L['x'],L['n']"


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x, n):
    return x.sum(0) / n + torch.arange(n).sum()


OUT = []
for n in [8, 6, 5, 7]:
    x = torch.arange(n * 2.0).view(n, 2)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(f(x, n))
