"""A batch dict of ids, mask, labels, all of one length, as keyword arguments.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: dim 1 of ids, mask and labels
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

emb, head = torch.nn.Embedding(50, 8), torch.nn.Linear(8, 50)


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(ids=None, mask=None, labels=None):
    h = torch.tanh(emb(ids)) * mask[..., None]
    return torch.nn.functional.cross_entropy(head(h).view(-1, 50), labels.view(-1))


OUT = []
for n in [7, 9, 12, 7]:
    ids = torch.arange(3 * n).view(3, n) % 50
    batch = {"ids": ids, "mask": (ids > 2).float(), "labels": (ids + 1) % 50}
    if FIX == 2:
        for value in batch.values():
            torch._dynamo.maybe_mark_dynamic(value, 1)
    OUT.append(f(**batch))
