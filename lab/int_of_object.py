"""The counter is an attribute of a plain object (a config or state class), changed between calls.

FIX=0 as users write it
FIX=1 a tensor on the object
FIX=2 torch.compile(dynamic=True)
FIX=3 TORCH_COMPILE_DYNAMIC_SOURCES="L['state'].step"
"""

import os

import torch

PROMISES = {
    3: {"compiles": [2, 1], "since": "2.8"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 3:
    torch.compiler.config.dynamic_sources = "L['state'].step"


class State:
    step = 0


@torch.compile(backend="eager", dynamic=True if FIX == 2 else None)
def update(x, state):
    return x * 0.9 + state.step * 0.1


state, OUT = State(), []
for i in range(7):
    state.step = torch.tensor(i) if FIX == 1 else i
    OUT.append(update(torch.arange(4.0), state))
