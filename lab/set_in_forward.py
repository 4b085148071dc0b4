"""The compiled code sets what it guards on: config.problem_type is None in the first call.

FIX=0 as users write it
FIX=1 set before the first call
FIX=2 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {
    2: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


class Config:
    problem_type = None


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.config = Config()

    def forward(self, x):
        if self.config.problem_type is None:
            self.config.problem_type = "regression"
        return x * 2 if self.config.problem_type == "regression" else x


net = Net()
if FIX == 1:
    net.config.problem_type = "regression"
run = torch.compile(net, backend="eager", dynamic=True if FIX == 2 else None)
OUT = [run(torch.arange(4.0)) for _ in range(3)]
