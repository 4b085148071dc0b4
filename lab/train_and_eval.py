"""Training and evaluation with one compiled model: train/eval flag, no_grad, requires_grad.

FIX=0 as users write it: train, eval under no_grad, train, eval
FIX=1 the eval without no_grad
FIX=2 two torch.compile calls, one for each
FIX=3 inference_mode in place of no_grad
FIX=4 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [2, 2]},
    2: {"compiles": [2, 2]},
    3: {"compiles": [2, 2]},
    4: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.0), torch.nn.Linear(4, 2))
run = torch.compile(net, backend="eager", dynamic=True if FIX == 4 else None)
other = torch.compile(net, backend="eager") if FIX == 2 else run
OUT, x = [], torch.arange(8.0).view(2, 4)
for i in range(2):
    net.train()
    run(x).sum().backward()
    net.eval()
    with torch.enable_grad() if FIX == 1 else torch.inference_mode() if FIX == 3 else torch.no_grad():
        OUT.append(other(x).clone())
