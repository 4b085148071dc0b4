"""Freezing is on: its constants are part of the code, and the graph is not cached.

FIX=0 as users write it
FIX=1 torch._inductor.config.freezing off
FIX=2 compiled once to a package with AOTInductor, which later runs load
"""

import os

import torch

PROMISES = {
    1: {"bypasses": [2, 0]},
    2: {"bypasses": [2, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

torch._inductor.config.freezing = FIX != 1
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).eval()
example = torch.arange(8.0).view(2, 4)


def packaged():
    program = torch.export.export(net, (example,))
    path = os.environ["TORCHINDUCTOR_CACHE_DIR"] + "/net.pt2"
    return torch._inductor.aoti_load_package(torch._inductor.aoti_compile_and_package(program, package_path=path))


run = packaged() if FIX == 2 else torch.compile(net)
with torch.no_grad():
    OUT = [run(example).detach()]
