"""The first call has one row: 1, 4, 6, 5 (prompt of one token, warm-up with a batch of one).

FIX=0 as users write it
FIX=1 mark_dynamic(x, 0)
FIX=2 maybe_mark_dynamic(x, 0)
FIX=3 torch.compile(dynamic=True)
FIX=4 mark_unbacked(x, 0)
FIX=5 warm up with two rows first (one more call), marked dynamic; no mark where the size is one
"""

import os

import torch

PROMISES = {
    4: {"compiles": [2, 1], "since": "2.15"},
}
NEVER = {
    2: {"compiles": [2, 2]},
    3: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

lin = torch.nn.Linear(4, 3)


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def predict(x):
    return torch.softmax(lin(x), -1)


OUT = []
if FIX == 5:
    x = torch.ones(2, 4)
    torch._dynamo.mark_dynamic(x, 0)
    predict(x)
for n in [1, 4, 6, 5]:
    x = torch.arange(n * 4.0).view(n, 4) / 20
    if FIX == 1 or FIX == 5 and n > 1:
        torch._dynamo.mark_dynamic(x, 0)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    if FIX == 4:
        torch._dynamo.decorators.mark_unbacked(x, 0)
    OUT.append(predict(x))
