"""torch.export with two named dimensions that the code needs to be equal.

FIX=0 as users write it: a dimension of its own for each input
FIX=1 as torch suggests: one dimension for both (b = a)
"""

import os

import torch

PROMISES = {
    1: {"error_before": "UserError", "compiles": [0, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Block(torch.nn.Module):
    def forward(self, q, mem):
        return (q * mem).sum(-1)


a = torch.export.Dim("a", min=2, max=64)
b = a if FIX == 1 else torch.export.Dim("b", min=2, max=64)
inputs = (torch.arange(80.0).view(2, 5, 8), torch.arange(80.0).view(2, 5, 8))
program = torch.export.export(Block(), inputs, dynamic_shapes={"q": {1: a}, "mem": {1: b}}, strict=True)
OUT = [program.module()(*inputs)]
