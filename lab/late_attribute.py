"""An attribute that the compiled code reads is set on the object only after the first call; the class has a default.

FIX=0 as users write it
FIX=1 set in __init__
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "since": "2.15"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class State:
    scale = "whole"

    def __init__(self):
        if FIX == 1:
            self.scale = "whole"


@torch.compile(backend="eager")
def step(x, state):
    return x * 2 if state.scale == "whole" else x


state = State()
OUT = []
for _ in range(3):
    OUT.append(step(torch.arange(4.0), state))
    state.scale = "whole"
