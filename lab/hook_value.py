"""Each layer of a model is compiled by itself, and has a hook that holds the name of its layer.

FIX=0 as users write it
FIX=1 the model is compiled as one
FIX=2 the hook holds no value of its own
FIX=3 isolate_recompiles=True
"""

import os

import torch

PROMISES = {
    1: {"compiles": [6, 1]},
    2: {"compiles": [6, 1]},
}
NEVER = {
    3: {"compiles": [6, 6], "since": "2.15"},
}

FIX = int(os.environ.get("FIX", "0"))
SEEN = {}


def make_hook(name):
    def named(module, args, out):
        return out + len(name)

    def same(module, args, out):
        return out + len("layer 0")

    return same if FIX == 2 else named


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        return x + self.inner(x)


torch.manual_seed(0)
LAYERS = torch.nn.ModuleList(Layer() for _ in range(6)).requires_grad_(False)
CALLS = []
for number, layer in enumerate(LAYERS):
    layer.inner.register_forward_hook(make_hook(f"layer {number}"))
    isolated = {"isolate_recompiles": True} if FIX == 3 else {}
    CALLS.append(layer if FIX == 1 else torch.compile(layer, backend="eager", **isolated))


def model(x):
    for call in CALLS:
        x = call(x)
    return x


if FIX == 1:
    model = torch.compile(model, backend="eager")
OUT = [model(torch.arange(4.0)) for _ in range(2)]
