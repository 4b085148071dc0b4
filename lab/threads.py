"""Four threads call a function for the first time at once.

FIX=0 as users write it
FIX=1 called once before the threads start
"""

import os
import threading

import torch

PROMISES = {
    1: {"compiles": [4, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


@torch.compile(backend="eager")
def scale(x):
    return torch.tanh(x) * 2


OUT = [None] * 4


def work(i):
    OUT[i] = scale(torch.arange(4.0))


if FIX == 1:
    scale(torch.arange(4.0))
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
