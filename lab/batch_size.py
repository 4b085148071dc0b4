"""Batch size changes: 8, 8, 6, 4, 3. One input, one output.

FIX=0 as users write it
FIX=1 mark_dynamic(x, 0) before each call
FIX=2 maybe_mark_dynamic(x, 0)
FIX=3 torch.compile(dynamic=True)
FIX=4 TORCH_COMPILE_DYNAMIC_SOURCES with the name in recompile_dynamic_whitelist of the log of FIX=0
FIX=5 mark_unbacked(x, 0)
FIX=6 mark_dynamic before the first call only (the others are not marked)
FIX=7 maybe_mark_dynamic before the first call only
FIX=8 mark_dynamic on later calls only (the second on)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
    4: {"compiles": [2, 1], "since": "2.8"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 4:
    torch.compiler.config.dynamic_sources = "L['x']"
lin = torch.nn.Linear(16, 4)


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def step(x):
    return torch.relu(lin(x)).sum(-1)


OUT = []
for i, n in enumerate([8, 8, 6, 4, 3]):
    x = torch.arange(n * 16.0).view(n, 16) / 100
    if FIX == 1 or FIX == 6 and i == 0 or FIX == 8 and i:
        torch._dynamo.mark_dynamic(x, 0)
    if FIX == 2 or FIX == 7 and i == 0:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    if FIX == 5:
        torch._dynamo.decorators.mark_unbacked(x, 0)
    OUT.append(step(x))
