"""Images come channels_last in some calls and contiguous in others.

FIX=0 as users write it
FIX=1 x.contiguous() before the call
FIX=2 x.contiguous(memory_format=torch.channels_last) before the call
FIX=3 torch.compile(dynamic=True)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 1]},
    2: {"compiles": [2, 1]},
}
NEVER = {
    3: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))
net = torch.nn.Conv2d(3, 4, 3)


@torch.compile(backend="eager", dynamic=True if FIX == 3 else None)
def features(x):
    return net(x).mean((2, 3))


OUT = []
for i in range(4):
    x = torch.arange(2 * 3 * 64.0).view(2, 3, 8, 8) / 100
    if i % 2:
        x = x.contiguous(memory_format=torch.channels_last)
    if FIX == 1:
        x = x.contiguous()
    if FIX == 2:
        x = x.contiguous(memory_format=torch.channels_last)
    OUT.append(features(x))
