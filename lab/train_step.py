"""The whole training step is compiled: zero_grad, forward, backward and the step of the optimizer.

FIX=0 as users write it
FIX=1 the forward and the loss are compiled; the rest of the step is eager
FIX=2 the forward and the loss are compiled, and the optimizer's step by itself
FIX=3 torch._dynamo.config.trace_autograd_ops = True
"""

import os

import torch

PROMISES = {
    1: {"breaks": [4, 0]},
    2: {"breaks": [4, 1]},
}
NEVER = {
    3: {"breaks": [4, 5], "since": "2.15"},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 3:
    torch._dynamo.config.trace_autograd_ops = True

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def loss_of(x):
    return torch.tanh(model(x)).sum()


def train_step(x):
    optimizer.zero_grad()
    loss = loss_of(x)
    loss.backward()
    optimizer.step()
    return loss


if FIX in (1, 2):
    loss_of = torch.compile(loss_of, backend="eager")
    if FIX == 2:
        optimizer.step = torch.compile(optimizer.step, backend="eager")
else:
    train_step = torch.compile(train_step, backend="eager")
OUT = [train_step(torch.arange(8.0).view(2, 4)).detach().clone() for _ in range(3)]
