"""Labels are the ids shifted by one: ids[:, :-1] in the function, the length alone changes.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (ids, 1)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [3, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

emb = torch.nn.Embedding(20, 20)


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(ids):
    return torch.nn.functional.cross_entropy(emb(ids[:, :-1]).transpose(1, 2), ids[:, 1:])


OUT = []
for n in [6, 9, 4, 2, 3]:
    ids = torch.arange(2 * n).view(2, n) % 20
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(ids, 1)
    OUT.append(f(ids))
