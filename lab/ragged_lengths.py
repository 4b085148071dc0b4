"""Ragged source and target: src (2, S, 8) and tgt (2, T, 8) change at different times: S 6,6,9,9,7; T 5,8,8,4,4.

FIX=0 as users write it
FIX=1 mark_dynamic on what the first recompile names: tgt
FIX=2 mark_dynamic on the whole set: src and tgt
FIX=3 maybe_mark_dynamic on the whole set
FIX=4 torch.compile(dynamic=True)
FIX=5 TORCH_COMPILE_DYNAMIC_SOURCES
"""

import os

import torch

PROMISES = {
    3: {"compiles": [3, 1]},
    5: {"compiles": [3, 1], "since": "2.8"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 5:
    torch.compiler.config.dynamic_sources = "L['src'],L['tgt']"


@torch.compile(backend="eager", dynamic=True if FIX == 4 else None)
def attend(src, tgt):
    return torch.softmax(tgt @ src.transpose(1, 2), -1) @ src


OUT = []
for s, t in [(6, 5), (6, 8), (9, 8), (9, 4), (7, 4)]:
    src, tgt = torch.arange(16.0 * s).view(2, s, 8) / 50, torch.arange(16.0 * t).view(2, t, 8) / 50
    if FIX in (1, 2):
        torch._dynamo.mark_dynamic(tgt, 1)
    if FIX == 2:
        torch._dynamo.mark_dynamic(src, 1)
    if FIX == 3:
        torch._dynamo.maybe_mark_dynamic(tgt, 1)
        torch._dynamo.maybe_mark_dynamic(src, 1)
    OUT.append(attend(src, tgt))
