"""The same counter counted up inside forward: self.step += 1 (dynamo_side_effects shows the write).

FIX=0 as users write it
FIX=1 torch._dynamo.config.allow_unspec_int_on_nn_module = True
FIX=2 the counter is a tensor (buffer), changed in place
FIX=3 torch.compile(dynamic=True)
FIX=4 counted up outside forward
"""

import os

import torch

PROMISES = {
    1: {"compiles": [7, 2], "since": "2.8"},
}
NEVER = {
    4: {"compiles": [7, 7], "2.6": {"compiles": [2, 2]}},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.allow_unspec_int_on_nn_module = True


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        if FIX == 2:
            self.register_buffer("step", torch.zeros((), dtype=torch.long))
        else:
            self.step = 0

    def forward(self, x):
        if FIX != 4:
            self.step += 1
        return self.lin(x) * self.step


net = Net()
run = torch.compile(net, backend="eager", dynamic=True if FIX == 3 else None)
OUT = []
for i in range(7):
    if FIX == 4:
        net.step += 1
    OUT.append(run(torch.arange(8.0).view(2, 4)))
