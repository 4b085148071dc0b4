"""Training with a batch of 8, evaluation under no_grad with 3 and 5.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
run = torch.compile(net, backend="eager", dynamic=True if FIX == 1 else None)
OUT = []
for i in range(3):
    net.train()
    run(torch.ones(8, 4)).sum().backward()
    net.eval()
    with torch.no_grad():
        OUT.append(run(torch.ones(3 + i, 4)))
