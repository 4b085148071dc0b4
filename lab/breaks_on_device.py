"""Twelve graph breaks, one behind each block, in training on a GPU.

FIX=0 as users write it
FIX=1 no breaks: one graph, which takes longer to compile
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"ratio": {"step_ms": [0, 0.9]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.norm = torch.nn.Linear(512, 512), torch.nn.LayerNorm(512)

    def forward(self, x):
        x = self.norm(x + torch.nn.functional.gelu(self.linear(x)))
        if FIX == 0:
            torch._dynamo.graph_break()
        return x


model = torch.compile(torch.nn.Sequential(*[Block() for _ in range(12)]).cuda())
x = torch.ones(256, 512, device="cuda")
MEASURED = measure(lambda: model(x).sum().backward())
OUT = [model(x).detach().cpu()]
