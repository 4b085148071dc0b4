"""The fake kernel of a custom operator takes a size as a number: int(x.shape[0]).

FIX=0 as users write it
FIX=1 the size as it is
FIX=2 maybe_mark_dynamic(x, 0)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [9, 2], "2.6": {"compiles": [8, 2]}},
}
NEVER = {
    2: {"compiles": [9, 9], "2.6": {"compiles": [8, 8]}},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.library.custom_op("lab::scale_norm", mutates_args=())
def scale_norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


@scale_norm.register_fake
def _(x, w):
    rows = x.shape[0] if FIX == 1 else int(x.shape[0])
    return x.new_empty(rows, x.shape[1])


torch.manual_seed(0)
w, lin = torch.ones(16), torch.nn.Linear(16, 16)


@torch.compile(backend="eager")
def layer(x):
    return lin(scale_norm(x, w)).relu()


OUT = []
for n in (40, 48, 64, 96, 33, 57, 71, 80, 90, 100):
    x = torch.arange(n * 16.0).view(n, 16)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 0)
    OUT.append(layer(x))
