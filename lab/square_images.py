"""Images that are square at first (32x32, 48x48, 40x40): height and width are equal by chance; then 40x56 comes.

FIX=0 as users write it
FIX=1 mark_dynamic(x, [2, 3])
FIX=2 maybe_mark_dynamic(x, [2, 3])
FIX=3 torch.compile(dynamic=True)
FIX=4 torch.fx.experimental._config.use_duck_shape = False
FIX=5 use_duck_shape = False and dynamic=True
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
    5: {"compiles": [2, 1]},
}
NEVER = {
    3: {"compiles": [2, 2]},
    4: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX in (4, 5):
    import torch.fx.experimental._config

    torch.fx.experimental._config.use_duck_shape = False
net = torch.nn.Conv2d(3, 8, 3, 2, 1)


@torch.compile(backend="eager", dynamic=True if FIX in (3, 5) else None)
def features(x):
    return net(x).mean((2, 3))


OUT = []
for h, w in [(32, 32), (48, 48), (40, 40), (40, 56), (64, 32)]:
    x = torch.arange(2 * 3 * h * w * 1.0).view(2, 3, h, w) / 5000
    if FIX == 1:
        torch._dynamo.mark_dynamic(x, [2, 3])
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, [2, 3])
    OUT.append(features(x))
