"""The compiled code fills a table of a module at its first use, and guards on its keys.

FIX=0 as users write it
FIX=1 the table is filled before the first call
FIX=2 the key is looked up with get(), and the table still filled in compiled code
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
HANDLERS = {}


def handler_for(kind):
    if FIX == 2 and HANDLERS.get(kind) is not None:
        return HANDLERS[kind]
    if kind not in HANDLERS:
        HANDLERS[kind] = "fast"
    return HANDLERS[kind]


@torch.compile(backend="eager")
def normalise(x):
    if handler_for("tensor") == "fast":
        return x / x.norm()
    return x


if FIX == 1:
    handler_for("tensor")
OUT = [normalise(torch.arange(1.0, 7.0) * n) for n in (1, 2, 3)]
