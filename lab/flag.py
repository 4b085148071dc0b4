"""A str flag and a bool decide what runs: reduction in mean, sum, none; training True, False. One version a value.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 bool as a tensor
FIX=3 torch.where instead of the bool branch, as a tensor
FIX=4 one compiled function for each value (as many compiles, no chain of guards)
"""

import os

import torch

PROMISES = {}
NEVER = {
    1: {"compiles": [3, 3], "graphs": [2, 2]},
    2: {"compiles": [3, 4], "breaks": [0, 1], "graphs": [2, 3]},
}

FIX = int(os.environ.get("FIX", "0"))


def loss(x, reduction, double):
    if FIX == 3:
        x = torch.where(double, x * 2, x)
    elif double:
        x = x * 2
    return x.mean() if reduction == "mean" else x.sum() if reduction == "sum" else x


one = torch.compile(loss, backend="eager", dynamic=True if FIX == 1 else None)
each, OUT = {}, []
for r, d in [("mean", True), ("sum", True), ("none", False), ("mean", False), ("sum", True), ("mean", True)]:
    f = one
    if FIX == 4:
        f = each.setdefault((r, d), torch.compile(lambda x, r=r, d=d: loss(x, r, d), backend="eager"))
    x = torch.arange(4.0)
    OUT.append(f(x) if FIX == 4 else f(x, r, torch.tensor(d) if FIX in (2, 3) else d))
