"""A graph: nodes and edges change independently in each batch.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (x, 0), (edges, 1)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(x, edges):
    src, dst = edges
    out = torch.zeros_like(x).index_add(0, dst, x[src])
    return torch.relu(out + x).mean(0)


OUT = []
for n, e in [(6, 10), (8, 14), (5, 9), (9, 9)]:
    x, edges = torch.arange(n * 4.0).view(n, 4), torch.arange(2 * e).view(2, e) % n
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
        torch._dynamo.maybe_mark_dynamic(edges, 1)
    OUT.append(f(x, edges))
