"""A cache without keys is passed to the first call, which makes them: 9 positions, then one more in each call.

FIX=0 as users write it
FIX=1 TORCH_COMPILE_DYNAMIC_SOURCES with the names of the keys
FIX=2 maybe_mark_dynamic on the keys before the first call
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 2], "since": "2.8"},
}
NEVER = {
    2: {"error": "AttributeError"},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch.compiler.config.dynamic_sources = "L['cache'].keys"


class Cache:
    def __init__(self):
        self.keys = None


@torch.compile(backend="eager")
def attend(cache, x):
    cache.keys = x if cache.keys is None else torch.cat([cache.keys, x], 0)
    return torch.softmax(x @ cache.keys.T, -1) @ cache.keys


cache = Cache()
if FIX == 2:
    torch._dynamo.maybe_mark_dynamic(cache.keys, 0)
OUT = [attend(cache, torch.arange(72.0).view(9, 8) / 72)]
for _ in range(4):
    OUT.append(attend(cache, torch.ones(2, 8)))
