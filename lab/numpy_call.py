"""numpy inside: x.numpy(), np.interp (Dynamo has no trace for it), back to a tensor.

FIX=0 as users write it
FIX=1 torch functions in its place
FIX=2 torch.library.custom_op with a fake kernel around the numpy call
FIX=3 the numpy function that Dynamo traces (np.multiply) for comparison
FIX=4 torch.compiler.disable on the helper
"""

import os

import numpy as np
import torch

PROMISES = {
    1: {"compiles": [4, 1], "breaks": [2, 0]},
    2: {"compiles": [4, 1], "breaks": [2, 0]},
}
NEVER = {
    4: {"compiles": [4, 2], "breaks": [2, 1]},
}

FIX = int(os.environ.get("FIX", "0"))


def pct(x):
    return torch.from_numpy(np.interp(x.numpy(), [0.0, 8.0], [0.0, 4.0]).astype(np.float32))


if FIX == 2:

    @torch.library.custom_op("lab::pct", mutates_args=())
    def op(x: torch.Tensor) -> torch.Tensor:
        return pct(x)

    @op.register_fake
    def _(x):
        return torch.empty_like(x)


hidden = torch.compiler.disable(pct)


@torch.compile(backend="eager")
def f(x):
    x = x * 2
    if FIX == 1:
        p = x / 2
    elif FIX == 2:
        p = op(x)
    elif FIX == 3:
        p = torch.from_numpy(np.multiply(x.numpy(), np.float32(0.5)))
    elif FIX == 4:
        p = hidden(x)
    else:
        p = pct(x)
    return x - p


OUT = [f(torch.arange(5.0)) for _ in range(2)]
