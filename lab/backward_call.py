"""loss.backward() inside the compiled function.

FIX=0 as users write it
FIX=1 the function returns the loss, and the caller calls backward()
FIX=2 fullgraph=True
FIX=3 torch._dynamo.config.trace_autograd_ops = True
FIX=4 torch._dynamo.config.trace_autograd_ops = True, and the loss returned detached
"""

import os

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
    4: {"breaks": [1, 0], "since": "2.15"},
}
NEVER = {
    3: {"breaks": [1, 1], "since": "2.15"},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX in (3, 4):
    torch._dynamo.config.trace_autograd_ops = True

net = torch.nn.Linear(4, 2)


@torch.compile(backend="eager", fullgraph=FIX == 2)
def step(x):
    loss = torch.tanh(net(x)).sum()
    if FIX != 1:
        loss.backward()
    return loss.detach() if FIX == 4 else loss


OUT = []
for _ in range(2):
    net.zero_grad()
    loss = step(torch.arange(8.0).view(2, 4))
    if FIX == 1:
        loss.backward()
    OUT += [loss.detach().clone(), net.weight.grad.clone()]
