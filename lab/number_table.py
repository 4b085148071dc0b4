"""A step number is an argument and the index of a list of numbers (a schedule of noise): 5, 4, 3, 2.

FIX=0 as users write it
FIX=1 the list as a tensor, a buffer of the module
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [4, 2]},
}
NEVER = {
    2: {"compiles": [4, 4]},
}

FIX = int(os.environ.get("FIX", "0"))


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.betas = [0.1 + 0.05 * step for step in range(8)]
        if FIX == 1:
            betas = torch.tensor(self.betas)
            del self.betas
            self.register_buffer("betas", betas)

    def forward(self, x, t):
        return x - self.betas[t] * x.sin()


sample = torch.compile(Sampler(), backend="eager", dynamic=True if FIX == 2 else None)
OUT = []
for t in (5, 4, 3, 2):
    OUT.append(sample(torch.arange(4.0), t))
