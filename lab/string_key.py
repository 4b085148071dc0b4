"""A string or a tuple of a module is the key of a table that each call is given: one version a module.

FIX=0 as users write it
FIX=1 what the key selects is an argument
FIX=2 isolate_recompiles=True for each torch.compile (2.15)
FIX=3 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [9, 2]},
    2: {"graphs": [8, 10], "since": "2.15"},
}
NEVER = {
    3: {"compiles": [9, 9]},
}

FIX = int(os.environ.get("FIX", "0"))


class Layer(torch.nn.Module):
    def __init__(self, key):
        super().__init__()
        self.key = key
        self.lin = torch.nn.Linear(4, 4)

    def forward(self, x, state):
        return torch.tanh(self.lin(x)) + (state if FIX == 1 else state[self.key])


layers = [Layer((i, "conv") if i % 2 else f"layer{i}") for i in range(10)]
state = {layer.key: torch.full((4,), i / 10) for i, layer in enumerate(layers)}
options = {"isolate_recompiles": True} if FIX == 2 else {"dynamic": True} if FIX == 3 else {}
compiled = [torch.compile(layer, backend="eager", **options) for layer in layers]


def forward(x):
    for layer, run in zip(layers, compiled):
        x = run(x, state[layer.key] if FIX == 1 else state)
    return x


OUT = [forward(torch.arange(8.0).view(2, 4))]
