"""The code turns the size into a constant (positions table cut by a Python number made of the size): 10, 12, 14, 9.

FIX=0 as users write it
FIX=1 mark_dynamic(x, 1)
FIX=2 maybe_mark_dynamic(x, 1)
FIX=3 torch.compile(dynamic=True)
FIX=4 TORCH_COMPILE_DYNAMIC_SOURCES
FIX=5 the cause changed: the size stays symbolic (no int() key into a dict), with mark_dynamic
FIX=6 the cause changed, with maybe_mark_dynamic(x, 1)
FIX=7 the cause changed, without a mark
"""

import os

import torch

PROMISES = {
    6: {"compiles": [4, 1]},
}
NEVER = {
    1: {"error": "ConstraintViolationError"},
    2: {"compiles": [4, 4]},
    3: {"compiles": [4, 4]},
    4: {"compiles": [4, 4], "since": "2.8"},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 4:
    torch.compiler.config.dynamic_sources = "L['x']"
scale = {n: 1.0 + n / 10 for n in range(64)}


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def encode(x):
    if FIX in (5, 6, 7):
        return x * (1.0 + x.shape[1] / 10)
    return x * scale[x.shape[1]]


OUT = []
for n in [10, 12, 14, 9]:
    x = torch.arange(2.0 * n).view(2, n)
    if FIX in (1, 5):
        torch._dynamo.mark_dynamic(x, 1)
    if FIX in (2, 6):
        torch._dynamo.maybe_mark_dynamic(x, 1)
    OUT.append(encode(x))
