"""Batch and length change one after the other: (8,10), (8,12), (6,12), (6,14), (5,9).

FIX=0 as users write it
FIX=1 mark_dynamic on the dim of the first recompile only (1)
FIX=2 mark_dynamic on both dims
FIX=3 torch.compile(dynamic=True)
FIX=4 TORCH_COMPILE_DYNAMIC_SOURCES="L['x']" (every dim of x)
FIX=5 maybe_mark_dynamic(x, [0, 1])
"""

import os

import torch

PROMISES = {
    5: {"compiles": [3, 1]},
    4: {"compiles": [3, 1], "since": "2.8"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 4:
    torch.compiler.config.dynamic_sources = "L['x']"
emb = torch.nn.Embedding(50, 4)


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def pool(x):
    return emb(x).mean(1)


OUT = []
for b, n in [(8, 10), (8, 12), (6, 12), (6, 14), (5, 9)]:
    x = torch.arange(b * n).view(b, n) % 50
    if FIX == 1:
        torch._dynamo.mark_dynamic(x, 1)
    if FIX == 2:
        torch._dynamo.mark_dynamic(x, [0, 1])
    if FIX == 5:
        torch._dynamo.maybe_mark_dynamic(x, [0, 1])
    OUT.append(pool(x))
