"""A member of an enum decides what runs: one version a member, as is expected.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 the member's value in its place, a str
"""

import enum
import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [2, 2]},
    2: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))


class Mode(enum.Enum):
    MEAN = "mean"
    SUM = "sum"


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def reduce(x, mode):
    return x.mean() if mode in (Mode.MEAN, "mean") else x.sum()


OUT = [reduce(torch.arange(4.0), mode.value if FIX == 2 else mode) for mode in [Mode.MEAN, Mode.SUM, Mode.MEAN]]
