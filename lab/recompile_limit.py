"""More values than the recompile limit (8): a str mode with 12 values. After the limit the frame runs in eager mode.

FIX=0 as users write it
FIX=1 torch._dynamo.config.recompile_limit = 16
FIX=2 torch.compile(dynamic=True)
FIX=3 one compiled function for each value (a dict of compiled functions of one code object)
FIX=4 the value looked up outside: an argument that is a tensor
FIX=5 torch._dynamo.config.fail_on_recompile_limit_hit = True
"""

import os

import torch

PROMISES = {
    1: {"compiles": [9, 12], "graphs": [8, 12], "since": "2.8"},
    4: {"compiles": [9, 1], "graphs": [8, 1], "2.6": {"compiles": [8, 1]}},
}
NEVER = {
    2: {"compiles": [9, 9], "graphs": [8, 8], "2.6": {"compiles": [8, 8]}},
    3: {"compiles": [9, 9], "graphs": [8, 8], "2.6": {"compiles": [8, 8]}},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.recompile_limit = 16
if FIX == 5:
    torch._dynamo.config.fail_on_recompile_limit_hit = True
TABLE = {f"task{i}": float(i) for i in range(12)}


def head(x, task):
    return x * (task if FIX == 4 else TABLE[task])


one = torch.compile(head, backend="eager", dynamic=True if FIX == 2 else None)
each, OUT = {}, []
for t in list(TABLE) * 2:
    f = each.setdefault(t, torch.compile(head, backend="eager")) if FIX == 3 else one
    OUT.append(f(torch.arange(4.0), torch.tensor(TABLE[t]) if FIX == 4 else t))
