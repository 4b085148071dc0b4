"""A string whose characters become numbers inside the compiled function.

FIX=0 as users write it
FIX=1 made a tensor by the caller
FIX=2 torch._dynamo.config.recompile_limit = 16
"""

import os

import torch

PROMISES = {
    1: {"compiles": [9, 2]},
}
NEVER = {
    2: {"compiles": [9, 12]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 2:
    torch._dynamo.config.recompile_limit = 16
TABLE = torch.arange(256.0)


@torch.compile(backend="eager")
def encode(text):
    ids = text if FIX == 1 else torch.tensor(list(text.encode("utf8")))
    return TABLE[ids].mean() + 1


SENTENCE = "twelve texts of different lengths"
OUT = []
for n in range(5, 17):
    one = SENTENCE[:n]
    OUT.append(encode(torch.tensor(list(one.encode("utf8"))) if FIX == 1 else one))
