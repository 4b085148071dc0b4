"""Image height and width: 32x32, 32x32, 48x40, 40x56, 64x64 through a small convolution net.

FIX=0 as users write it (32x32: height and width are one symbol by duck shaping only if both change to equal sizes)
FIX=1 mark_dynamic(x, 2)
FIX=2 mark_dynamic(x, [2, 3])
FIX=3 maybe_mark_dynamic(x, [2, 3])
FIX=4 torch.compile(dynamic=True)
FIX=5 TORCH_COMPILE_DYNAMIC_SOURCES
FIX=6 mark_unbacked(x, [2, 3])
"""

import os

import torch

PROMISES = {
    3: {"compiles": [2, 1]},
    5: {"compiles": [2, 1], "since": "2.8"},
}
NEVER = {
    1: {"compiles": [2, 2]},
    4: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 5:
    torch.compiler.config.dynamic_sources = "L['x']"
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2, 1), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 3, 2, 1))


@torch.compile(backend="eager", dynamic=True if FIX == 4 else None)
def features(x):
    return net(x).mean((2, 3))


OUT = []
for h, w in [(32, 32), (32, 32), (48, 40), (40, 56), (64, 64)]:
    x = torch.arange(2 * 3 * h * w * 1.0).view(2, 3, h, w) / 5000
    if FIX in (1, 2):
        torch._dynamo.mark_dynamic(x, 2)
    if FIX == 2:
        torch._dynamo.mark_dynamic(x, 3)
    if FIX == 3:
        torch._dynamo.maybe_mark_dynamic(x, [2, 3])
    if FIX == 6:
        torch._dynamo.decorators.mark_unbacked(x, [2, 3])
    OUT.append(features(x))
