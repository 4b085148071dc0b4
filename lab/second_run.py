"""The same process started again (here: torch._dynamo.reset() in between): what automatic dynamic learned is lost.

FIX=0 as users write it
FIX=1 torch.compiler.config.job_id = "lab" (TORCH_COMPILE_JOB_ID): the second run starts with what the first learned
"""

import os

import torch

PROMISES = {
    1: {"compiles": [2, 2], "graphs": [4, 3], "since": "2.8"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch.compiler.config.job_id = "lab"


@torch.compile(backend="eager")
def f(x, y):
    return (x * y).sum(0)


OUT = []
for run in range(2):
    for n in [8, 6, 4]:
        OUT.append(f(torch.arange(n * 2.0).view(n, 2), torch.ones(n, 1)))
    torch._dynamo.reset()
