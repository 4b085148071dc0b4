"""Ten classes inherit one forward, and a module of each is compiled by itself with fullgraph=True: they share one limit.

FIX=0 as users write it
FIX=1 torch.compile(.., isolate_recompiles=True): versions and a limit for each torch.compile
FIX=2 torch._dynamo.config.recompile_limit = 16
"""

import os

import torch

PROMISES = {
    1: {"error_before": "FailOnRecompileLimitHit", "compiles": [9, 10], "since": "2.15"},
    2: {"error_before": "FailOnRecompileLimitHit", "compiles": [9, 10], "since": "2.8"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 2:
    torch._dynamo.config.recompile_limit = 16


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.net(x).relu()


torch.manual_seed(0)
kinds = [type(f"Head{i}", (Head,), {}) for i in range(10)]
options = {"isolate_recompiles": True} if FIX == 1 else {}
OUT = []
for kind in kinds:
    OUT.append(torch.compile(kind(), fullgraph=True, backend="eager", **options)(torch.ones(2, 4)))
