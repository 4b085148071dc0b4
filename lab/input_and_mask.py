"""Sequence length with a mask of equal length: x and mask both change in dim 1 (10, 10, 12, 14, 9).

FIX=0 as users write it
FIX=1 mark_dynamic on x alone (the tensor that the recompile reason names)
FIX=2 mark_dynamic on the set of the whitelist: x and mask
FIX=3 maybe_mark_dynamic on x alone
FIX=4 maybe_mark_dynamic on the set
FIX=5 torch.compile(dynamic=True)
FIX=6 TORCH_COMPILE_DYNAMIC_SOURCES with the whitelist of the log of FIX=0
FIX=7 mark_unbacked on the set
FIX=8 mark_dynamic on x alone, with torch._dynamo.config.allow_ignore_mark_dynamic
"""

import os

import torch

PROMISES = {
    4: {"compiles": [2, 1]},
    6: {"compiles": [2, 1], "since": "2.8"},
}
NEVER = {
    1: {"error": "ConstraintViolationError"},
    3: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 6:
    torch.compiler.config.dynamic_sources = "L['x'],L['mask']"
if FIX == 8:
    torch._dynamo.config.allow_ignore_mark_dynamic = True
emb = torch.nn.Linear(8, 8)


@torch.compile(backend="eager", dynamic=True if FIX == 5 else None)
def encode(x, mask):
    s = emb(x) @ x.transpose(1, 2)
    s = s.masked_fill(~mask[:, None, :], -1e9)
    return torch.softmax(s, -1) @ x


OUT = []
for n in [10, 10, 12, 14, 9]:
    x = torch.arange(4 * n * 8.0).view(4, n, 8) / 300
    mask = (torch.arange(n) < n - 2).repeat(4, 1)
    if FIX in (1, 2, 8):
        torch._dynamo.mark_dynamic(x, 1)
    if FIX == 2:
        torch._dynamo.mark_dynamic(mask, 1)
    if FIX in (3, 4):
        torch._dynamo.maybe_mark_dynamic(x, 1)
    if FIX == 4:
        torch._dynamo.maybe_mark_dynamic(mask, 1)
    if FIX == 7:
        torch._dynamo.decorators.mark_unbacked(x, 1)
        torch._dynamo.decorators.mark_unbacked(mask, 1)
    OUT.append(encode(x, mask))
