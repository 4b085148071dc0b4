"""torch.export with a named dimension that the code makes a constant.

FIX=0 as users write it: Dim("n")
FIX=1 Dim.AUTO: the dimension is fixed where it has to be
FIX=2 the line changed that needs the number
FIX=3 the dimension left out of dynamic_shapes
"""

import os

import torch

PROMISES = {
    1: {"error_before": "UserError", "compiles": [0, 0]},
    2: {"error_before": "UserError", "compiles": [0, 0]},
    3: {"error_before": "UserError", "compiles": [0, 0]},
}
NEVER = {}
DTRACE = True

FIX = int(os.environ.get("FIX", "0"))


class Net(torch.nn.Module):
    def forward(self, x):
        if FIX == 2:
            return x.reshape(x.shape[0], -1) * 2
        return x.reshape(8, -1) * 2


dim = torch.export.Dim.AUTO if FIX == 1 else torch.export.Dim("n", min=2, max=64)
shapes = None if FIX == 3 else {"x": {0: dim}}
program = torch.export.export(Net(), (torch.arange(48.0).view(8, 6),), dynamic_shapes=shapes)
OUT = [program.module()(torch.arange(48.0).view(8, 6))]
