"""Decoding with a KV cache that grows: a list of 3 layers of (k, v), one token a call.

FIX=0 as users write it
FIX=1 mark_dynamic on the first layer's k (the tensor that the reason names)
FIX=2 mark_dynamic on all k and v
FIX=3 maybe_mark_dynamic on all k and v
FIX=4 torch.compile(dynamic=True)
FIX=5 TORCH_COMPILE_DYNAMIC_SOURCES with the whitelist
FIX=6 a static cache: full length, written at a position held in a tensor, mask from it
FIX=7 mark_dynamic on all k, not v
"""

import os

import torch

PROMISES = {
    3: {"compiles": [2, 1]},
    5: {"compiles": [2, 1], "since": "2.8"},
}
NEVER = {
    1: {"error": "ConstraintViolationError"},
    7: {"error": "ConstraintViolationError"},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 5:
    torch.compiler.config.dynamic_sources = ",".join(f"L['cache'][{i}][{j}]" for i in range(3) for j in range(2))
lin = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(3))


@torch.compile(backend="eager", dynamic=True if FIX == 4 else None)
def decode(x, cache):
    new = []
    for layer, (k, v) in zip(lin, cache):
        q = layer(x)
        k, v = torch.cat([k, q], 1), torch.cat([v, q * 2], 1)
        x = x + torch.softmax(q @ k.transpose(1, 2), -1) @ v
        new.append((k, v))
    return x, new


@torch.compile(backend="eager")
def decode_static(x, cache, pos):
    ok = torch.arange(16) <= pos
    for layer, (k, v) in zip(lin, cache):
        q = layer(x)
        k.index_copy_(1, pos, q)
        v.index_copy_(1, pos, q * 2)
        s = (q @ k.transpose(1, 2)).masked_fill(~ok, float("-inf"))
        x = x + torch.softmax(s, -1) @ v
    return x


x = torch.arange(16.0).view(2, 1, 8) / 10
cache = [(torch.ones(2, 4, 8), torch.ones(2, 4, 8)) for _ in range(3)]
if FIX == 6:
    cache = [(torch.cat([k, torch.zeros(2, 12, 8)], 1), torch.cat([v, torch.zeros(2, 12, 8)], 1)) for k, v in cache]
OUT = []
with torch.no_grad():
    for i in range(5):
        if FIX == 6:
            x = decode_static(x, cache, torch.tensor([4 + i]))
        else:
            for j, (k, v) in enumerate(cache):
                if FIX == 2 or FIX == 7 or FIX == 1 and j == 0:
                    torch._dynamo.mark_dynamic(k, 1)
                if FIX == 2:
                    torch._dynamo.mark_dynamic(v, 1)
                if FIX == 3:
                    torch._dynamo.maybe_mark_dynamic(k, 1)
                    torch._dynamo.maybe_mark_dynamic(v, 1)
            x, cache = decode(x, cache)
        OUT.append(x)
