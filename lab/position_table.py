"""A table of positions in a buffer is cut to the length: self.pos[:n].

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


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("pos", torch.arange(64 * 8.0).view(64, 8) / 100)
        self.lin = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.lin(x + self.pos[: x.shape[1]])


net = torch.compile(Net(), backend="eager", dynamic=True if FIX == 1 else None)
OUT = []
for n in [10, 16, 20, 12]:
    x = torch.arange(2 * n * 8.0).view(2, n, 8) / 100
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 1)
    OUT.append(net(x))
