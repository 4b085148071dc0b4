"""Part of a tensor is written by a mask with what a batch norm makes of it; the backend cannot size what the break left behind.

FIX=0 as users write it
FIX=1 torch._dynamo.config.capture_dynamic_output_shape_ops = True
"""

import os

import torch

PROMISES = {
    1: {"breaks": [5, 1], "compiles": [2, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.capture_dynamic_output_shape_ops = True


class Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(8)
        self.head = torch.nn.Linear(8, 3)

    def forward(self, h, keep):
        out = h.clone()
        out[keep] = self.norm(h[keep])
        return self.head(out)


torch.manual_seed(0)
model = torch.compile(Masked(), dynamic=True)
OUT = []
for n in (64, 48):
    h = torch.arange(n * 8.0).view(n, 8).requires_grad_()
    OUT.append(model(h, torch.arange(n) % 3 > 0))
    OUT[-1].sum().backward()
