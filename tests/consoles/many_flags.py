"""A function that a string compiles again and again, until torch gives up: what the console says by itself."""

import torch


@torch.compile(backend="eager")
def scaled(x, name):
    return x + len(name) if name != "none" else x


for number in range(12):
    scaled(torch.ones(4), f"layer{number}")
