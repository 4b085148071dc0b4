"""Images of any size are padded to whole windows, and the code asks whether anything was padded.

FIX=0 as users write it
FIX=1 without the question
FIX=2 maybe_mark_dynamic on both dimensions before each call
"""

import os

import torch

PROMISES = {
    1: {"compiles": [4, 2]},
}
NEVER = {
    2: {"compiles": [4, 3]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def windows(x):
    height, width = x.shape
    bottom, right = (4 - height % 4) % 4, (4 - width % 4) % 4
    x = torch.nn.functional.pad(x, (0, right, 0, bottom))
    x = torch.tanh(x.view(x.shape[0] // 4, 4, x.shape[1] // 4, 4).sum((1, 3)))
    if FIX == 1:
        return x * 2
    if right > 0 or bottom > 0:
        x = x * 2
    else:
        x = x + x
    return x


OUT = []
for height, width in [(8, 8), (10, 12), (13, 9), (16, 12), (20, 11)]:
    x = torch.arange(float(height * width)).view(height, width)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
        torch._dynamo.maybe_mark_dynamic(x, 1)
    OUT.append(windows(x))
