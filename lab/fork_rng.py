"""A helper draws noise under torch.random.fork_rng, so that the generator of the program stays as it is.

FIX=0 as users write it
FIX=1 the caller draws the noise and passes it
FIX=2 torch.compiler.disable on the helper
"""

import os

import torch

PROMISES = {
    1: {"breaks": [2, 0], "graphs": [2, 1]},
}
NEVER = {
    2: {"breaks": [2, 1]},
}

FIX = int(os.environ.get("FIX", "0"))


def noise():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        return torch.rand(4)


if FIX == 2:
    noise = torch.compiler.disable(noise)


@torch.compile(backend="eager")
def f(x, drawn):
    x = torch.tanh(x)
    return x + (noise() if drawn is None else drawn)


OUT = [f(torch.arange(4.0), noise() if FIX == 1 else None) for _ in range(2)]
