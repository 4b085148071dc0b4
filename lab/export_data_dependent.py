"""torch.export of a branch on a value that item() took from a tensor.

FIX=0 as users write it
FIX=1 torch._check(n > 2) before the branch, where it always holds
FIX=2 torch.cond
"""

import os

import torch

PROMISES = {
    1: {"error_before": "GuardOnDataDependentSymNode", "compiles": [0, 0]},
    2: {"error_before": "GuardOnDataDependentSymNode", "compiles": [0, 1]},
}
NEVER = {}
DTRACE = True

FIX = int(os.environ.get("FIX", "0"))


class Net(torch.nn.Module):
    def forward(self, x, count):
        n = count.item()
        if FIX == 2:
            return torch.cond(count > 2, lambda x: x * 2, lambda x: x + 1, (x,))
        if FIX == 1:
            torch._check(n > 2)
        if n > 2:
            return x * 2
        return x + 1


arguments = (torch.arange(4.0), torch.tensor(4))
program = torch.export.export(Net(), arguments, strict=False)
OUT = [program.module()(*arguments)]
