"""Layers are left out by a random number of NumPy, which is drawn inside the compiled function.

FIX=0 as users write it
FIX=1 torch.rand(()) in its place, and torch.where
FIX=2 drawn by the caller: the numbers are an argument, and torch.where
FIX=3 torch._dynamo.config.capture_scalar_outputs = True
"""

import os

import numpy as np
import torch

PROMISES = {
    1: {"graphs": [0, 1]},
    2: {"graphs": [0, 1]},
}
NEVER = {
    3: {"graphs": [0, 0]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 3:
    torch._dynamo.config.capture_scalar_outputs = True
np.random.seed(0)
torch.manual_seed(0)
LAYERS = 3


@torch.compile(backend="eager")
def encode(x, drawn):
    for layer in range(LAYERS):
        if FIX == 1:
            x = torch.where(torch.rand(()) < 1.5, x + torch.tanh(x), x)
        elif FIX == 2:
            x = torch.where(drawn[layer] < 1.5, x + torch.tanh(x), x)
        else:
            number = np.random.uniform(0, 1)
            if number < 1.5:
                x = x + torch.tanh(x)
    return x


OUT = []
for _ in range(3):
    OUT.append(encode(torch.arange(4.0), torch.tensor(np.random.uniform(0, 1, LAYERS))))
