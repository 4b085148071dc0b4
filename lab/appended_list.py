"""The compiled function appends to a list in each call, as to a list of losses.

FIX=0 as users write it
FIX=1 returned, and appended by the caller
FIX=2 the list is not empty before the first call
"""

import os

import torch

PROMISES = {
    1: {"compiles": [6, 1]},
}
NEVER = {
    2: {"compiles": [6, 6]},
}

FIX = int(os.environ.get("FIX", "0"))


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = [torch.zeros(())] if FIX == 2 else []

    def forward(self, x):
        loss = x.mean()
        if FIX != 1:
            self.losses.append(loss)
        return torch.relu(x), loss


layer = Layer()
compiled, OUT = torch.compile(layer, backend="eager"), []
for _ in range(6):
    y, loss = compiled(torch.arange(4.0))
    if FIX == 1:
        layer.losses.append(loss)
    OUT.append(y)
