"""An int that is the number of loop turns: for i in range(n), n = 2, 3, 4, 5.

FIX=0 as users write it
FIX=1 pass n as a tensor
FIX=2 torch.compile(dynamic=True)
FIX=3 the loop outside, its body compiled
FIX=4 mark nothing, dynamic=False
"""

import os

import torch

PROMISES = {
    3: {"compiles": [4, 1]},
}
NEVER = {
    1: {
        "compiles": [4, 3], "breaks": [0, 2], "graphs": [4, 1],
        "2.8": {"compiles": [4, 3], "breaks": [0, 1], "graphs": [4, 1]},
    },
    2: {"compiles": [4, 4]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager", dynamic=True if FIX == 2 else False if FIX == 4 else None)
def smooth(x, n):
    for _ in range(n):
        x = torch.tanh(x) + 0.1
    return x


OUT = []
for n in [2, 3, 4, 5]:
    x = torch.arange(4.0)
    if FIX == 3:
        for _ in range(n):
            x = smooth(x, 1)
        OUT.append(x)
    else:
        OUT.append(smooth(x, torch.tensor(n) if FIX == 1 else n))
