"""Six blocks that are alike in operators and shapes, in one model.

FIX=0 the whole model compiled: one graph with six times the operators
FIX=1 each block compiled (regional): the first block's code serves all
FIX=2 each block is wrapped with a torch.compile of its own (same code object, same versions)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [1, 2], "operators": [18, 6], "since": "2.15"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Block(torch.nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin, self.norm = torch.nn.Linear(a, b), torch.nn.LayerNorm(b)

    def forward(self, x):
        return torch.tanh(self.norm(self.lin(x)))


wide = [8] * 7
net = torch.nn.Sequential(*(Block(a, b) for a, b in zip(wide, wide[1:])))
if FIX == 0:
    net.compile(backend="eager")
elif FIX == 2:
    net = torch.nn.Sequential(*(torch.compile(b, backend="eager") for b in net))
else:
    for block in net:
        block.compile(backend="eager")
OUT = [net(torch.arange(16.0).view(2, 8)).shape for _ in range(2)]
