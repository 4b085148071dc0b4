"""One compiled method is called by several modules with other sizes (a shared block at several resolutions).

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (x, 1)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Block(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x) + x.mean()


blocks = [Block() for _ in range(3)]
runs = [torch.compile(b, backend="eager", dynamic=True if FIX == 1 else None) for b in blocks]
OUT = []
for run, n in list(zip(runs, [8, 12, 20])) * 2:
    x = torch.arange(float(n)).view(2, n // 2)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 1)
    OUT.append(run(x))
