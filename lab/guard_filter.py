"""Guards on the internals of modules, which cannot change here.

FIX=0 as users write it
FIX=1 options={"guard_filter_fn": torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe} (2.8 and later)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [1, 1], "since": "2.8"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

net = torch.nn.Sequential(*(torch.nn.Linear(4, 4) for _ in range(12)))
options = {"guard_filter_fn": torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe} if FIX == 1 else None
run = torch.compile(net, options=options)
OUT = [run(torch.arange(8.0).view(2, 4)).detach() for _ in range(2)]
