"""A function written in C that Dynamo does not know (zlib.crc32) in the middle.

FIX=0 as users write it
FIX=1 called by the caller, its result passed as a tensor
FIX=2 torch.compiler.disable on a helper that calls it
"""

import os
import zlib

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
}
NEVER = {
    2: {"breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))


def checksum():
    return zlib.crc32(b"lab") % 7


hidden = torch.compiler.disable(checksum)


@torch.compile(backend="eager")
def f(x, seed=None):
    x = torch.tanh(x)
    if FIX == 1:
        k = seed
    elif FIX == 2:
        k = hidden()
    else:
        k = zlib.crc32(b"lab") % 7
    return x * k


OUT = [f(torch.arange(4.0), torch.tensor(checksum()) if FIX == 1 else None) for _ in range(2)]
