"""torch.vmap over a function that is compiled.

FIX=0 as users write it
FIX=1 what torch.vmap returns is compiled
"""

import os

import torch

PROMISES = {
    1: {"error_before": "Unsupported", "graphs": [0, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


def loss(weights, x):
    return ((x @ weights) ** 2).mean()


if FIX == 1:
    f = torch.compile(torch.vmap(loss, in_dims=(None, 0)), backend="aot_eager")
else:
    f = torch.vmap(torch.compile(loss, backend="aot_eager", fullgraph=True), in_dims=(None, 0))

OUT = [f(torch.ones(4), torch.arange(24.0).reshape(3, 2, 4)) for _ in range(2)]
