"""Split sizes by tolist(): torch.split(x, lengths.tolist()).

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_scalar_outputs = True
FIX=2 the list made by the caller, passed as ints
FIX=3 segment sums by index_add with an index tensor
"""

import os

import torch

PROMISES = {
    1: {"compiles": [3, 1], "breaks": [1, 0], "graphs": [2, 1], "since": "2.15"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_scalar_outputs = FIX == 1


@torch.compile(backend="eager")
def f(x, lengths):
    if FIX == 3:
        seg = torch.repeat_interleave(torch.arange(3), lengths, output_size=x.size(0))
        return torch.zeros(3).index_add(0, seg, x)
    if FIX != 2:
        lengths = lengths.tolist()
    parts = torch.split(x, lengths)
    return torch.stack([p.sum() for p in parts])


OUT = []
for a, b in [(2, 3), (4, 2), (3, 5)]:
    n = torch.tensor([a, b, 12 - a - b])
    OUT.append(f(torch.arange(12.0), n.tolist() if FIX == 2 else n))
