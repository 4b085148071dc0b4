"""The same program again: the second time it compiles with an empty cache folder, or with the folder of the first time.

FIX=0 another folder
FIX=1 the same cache folder (TORCHINDUCTOR_CACHE_DIR kept)
FIX=2 the same folder, torch.compiler.config.force_disable_caches = True
"""

import os

import torch

PROMISES = {
    1: {"misses": [4, 2], "hits": [0, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 2:
    torch.compiler.config.force_disable_caches = True


def f(x, w):
    return torch.softmax(x @ w, -1) * 2


OUT = []
for turn in range(2):
    if FIX == 0 and turn == 1:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] += "-of-another-run"
    OUT.append(torch.compile(f)(torch.arange(8.0).view(2, 4), torch.ones(4, 3)))
    torch._dynamo.reset()
