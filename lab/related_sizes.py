"""Two inputs with related sizes: hi has twice the rows of lo (4 and 8, 5 and 10, 6 and 12).

FIX=0 as users write it
FIX=1 mark_dynamic on lo alone
FIX=2 mark_dynamic on the set of the whitelist: lo and hi
FIX=3 maybe_mark_dynamic on the set
FIX=4 torch.compile(dynamic=True)
FIX=5 TORCH_COMPILE_DYNAMIC_SOURCES with the whitelist
FIX=6 mark_unbacked on the set
"""

import os

import torch

PROMISES = {
    3: {"compiles": [2, 1]},
    5: {"compiles": [2, 1], "since": "2.8"},
}
NEVER = {
    1: {"error": "ConstraintViolationError"},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 5:
    torch.compiler.config.dynamic_sources = "L['lo'],L['hi']"


@torch.compile(backend="eager", dynamic=True if FIX == 4 else None)
def up(lo, hi):
    return lo.repeat_interleave(2, 0) + hi


OUT = []
for n in [4, 4, 5, 6, 9]:
    lo, hi = torch.arange(n * 3.0).view(n, 3), torch.arange(n * 6.0).view(2 * n, 3)
    if FIX in (1, 2):
        torch._dynamo.mark_dynamic(lo, 0)
    if FIX == 2:
        torch._dynamo.mark_dynamic(hi, 0)
    if FIX == 3:
        torch._dynamo.maybe_mark_dynamic(lo, 0)
        torch._dynamo.maybe_mark_dynamic(hi, 0)
    if FIX == 6:
        torch._dynamo.decorators.mark_unbacked(lo, 0)
        torch._dynamo.decorators.mark_unbacked(hi, 0)
    OUT.append(up(lo, hi))
