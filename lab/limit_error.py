"""fail_on_recompile_limit_hit is set, and 12 values of a str meet the limit of 8: the call raises.

FIX=0 as users write it
FIX=1 torch._dynamo.config.recompile_limit = 16
FIX=2 fail_on_recompile_limit_hit not set: past the limit it runs in eager mode
FIX=3 the value looked up outside: an argument that is a tensor
"""

import os

import torch

PROMISES = {
    1: {
        "error_before": "FailOnRecompileLimitHit", "compiles": [9, 12], "graphs": [8, 12], "since": "2.8",
    },
    3: {
        "error_before": "FailOnRecompileLimitHit", "compiles": [9, 1], "graphs": [8, 1], "since": "2.8",
    },
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

torch._dynamo.config.fail_on_recompile_limit_hit = FIX != 2
if FIX == 1:
    torch._dynamo.config.recompile_limit = 16
TABLE = {f"task{i}": float(i) for i in range(12)}


@torch.compile(backend="eager")
def head(x, task):
    return x * (task if FIX == 3 else TABLE[task])


OUT = []
for task in TABLE:
    OUT.append(head(torch.arange(4.0), torch.tensor(TABLE[task]) if FIX == 3 else task))
