"""A batch of one row arrives: 4, 6, 1, 5, 1.

FIX=0 as users write it
FIX=1 mark_dynamic(x, 0) before each call
FIX=2 mark_dynamic(x, 0) only where the size is 2 or more
FIX=3 maybe_mark_dynamic(x, 0)
FIX=4 torch.compile(dynamic=True)
FIX=5 mark_unbacked(x, 0)
FIX=6 pad a batch of one to two and cut the result
FIX=7 mark_dynamic before the first call only
FIX=8 TORCH_COMPILE_DYNAMIC_SOURCES
"""

import os

import torch

PROMISES = {
    3: {"compiles": [3, 2]},
    8: {"compiles": [3, 2], "since": "2.8"},
}
NEVER = {
    4: {"compiles": [3, 3]},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 8:
    torch.compiler.config.dynamic_sources = "L['x']"
lin = torch.nn.Linear(4, 3)


@torch.compile(backend="eager", dynamic=True if FIX == 4 else None)
def predict(x):
    return torch.softmax(lin(x), -1)


OUT = []
for i, n in enumerate([4, 6, 1, 5, 1]):
    x = torch.arange(n * 4.0).view(n, 4) / 20
    if FIX == 6 and n == 1:
        x = torch.cat([x, x])
    if FIX == 1 or FIX == 2 and n > 1 or FIX == 7 and i == 0:
        torch._dynamo.mark_dynamic(x, 0)
    if FIX == 3:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    if FIX == 5:
        torch._dynamo.decorators.mark_unbacked(x, 0)
    OUT.append(predict(x)[:n])
