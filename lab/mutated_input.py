"""mode="reduce-overhead" on a GPU, and a cache that is passed in is written in place: CUDA graphs are skipped.

FIX=0 as users write it
FIX=1 torch._dynamo.mark_static_address on the cache, before the first call
FIX=2 the cache is a buffer of the module
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"skipped": [1, 0]},
    2: {"skipped": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 128, 64, device="cuda"))

    def forward(self, query, cache, key, position):
        if cache is None:
            cache = self.cache
        cache[:, position] = key
        return torch.softmax(query @ cache.transpose(1, 2), -1) @ cache


cache = None if FIX == 2 else torch.zeros(4, 128, 64, device="cuda")
if FIX == 1:
    torch._dynamo.mark_static_address(cache)
attend = torch.compile(Attention(), mode="reduce-overhead")
query, key = torch.ones(4, 1, 64, device="cuda"), torch.ones(4, 1, 64, device="cuda")
position = torch.tensor([3], device="cuda")
with torch.no_grad():
    MEASURED = measure(lambda: attend(query, cache, key, position))
    OUT = [attend(query, cache, key, position).cpu()]
