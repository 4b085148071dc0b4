"""Six blocks of three widths: compiled one by one, each shape of the parameters needs a version.

FIX=0 the whole model compiled: one graph
FIX=1 each block compiled
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [1, 6], "since": "2.15"},
}

FIX = int(os.environ.get("FIX", "0"))


class Block(torch.nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin, self.norm = torch.nn.Linear(a, b), torch.nn.LayerNorm(b)

    def forward(self, x):
        return torch.tanh(self.norm(self.lin(x)))


wide = [8, 8, 16, 16, 32, 32, 8]
net = torch.nn.Sequential(*(Block(a, b) for a, b in zip(wide, wide[1:])))
if FIX == 0:
    net.compile(backend="eager")
else:
    for block in net:
        block.compile(backend="eager")
OUT = [net(torch.arange(16.0).view(2, 8)).shape for _ in range(2)]
