"""An error is raised if a tensor has a wrong value: `if (std == 0).any(): raise`.

FIX=0 as users write it
FIX=1 checked by the caller
FIX=2 torch._assert_async
"""

import os

import torch

PROMISES = {
    1: {"breaks": [1, 0]},
    2: {"breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


def check(std):
    if (std == 0).any():
        raise ValueError("a deviation of 0")


@torch.compile(backend="eager")
def normalize(image, mean, std):
    image = image / 255
    if FIX == 0:
        if (std == 0).any():
            raise ValueError("a deviation of 0")
    if FIX == 2:
        torch._assert_async((std != 0).all())
    return (image - mean) / std


OUT = []
for _ in range(2):
    std = torch.full((4,), 0.5)
    if FIX == 1:
        check(std)
    OUT.append(normalize(torch.arange(4.0), torch.ones(4), std))
