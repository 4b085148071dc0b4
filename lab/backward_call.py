"""loss.backward() inside the compiled function.

FIX=0 as users write it
FIX=1 the function returns the loss, and the caller calls backward()
FIX=2 fullgraph=True
"""

import os

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

net = torch.nn.Linear(4, 2)


@torch.compile(backend="eager", fullgraph=FIX == 2)
def step(x):
    loss = torch.tanh(net(x)).sum()
    if FIX != 1:
        loss.backward()
    return loss


OUT = []
for _ in range(2):
    net.zero_grad()
    loss = step(torch.arange(8.0).view(2, 4))
    if FIX == 1:
        loss.backward()
    OUT += [loss.detach().clone(), net.weight.grad.clone()]
