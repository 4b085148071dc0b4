"""A list of feature maps of several sizes that scale with the image: 32, 40, 48.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: dims 2 and 3 of each map
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

convs = torch.nn.ModuleList(torch.nn.Conv2d(3, 4, 1) for _ in range(3))


@torch.compile(backend="eager", dynamic=True if FIX == 1 else None)
def f(maps):
    return torch.cat([c(m).flatten(2) for c, m in zip(convs, maps)], 2).mean(2)


OUT = []
for n in [32, 40, 48, 24]:
    maps = [torch.arange(2 * 3 * (n // s) ** 2 * 1.0).view(2, 3, n // s, n // s) / 3000 for s in (1, 2, 4)]
    if FIX == 2:
        for one in maps:
            torch._dynamo.maybe_mark_dynamic(one, [2, 3])
    OUT.append(f(maps))
