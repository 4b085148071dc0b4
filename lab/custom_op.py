"""A custom operator without a fake kernel.

FIX=0 as users write it
FIX=1 torch.library.register_fake
FIX=2 torch.compiler.disable around the call
FIX=3 torch._dynamo.config.suppress_errors = True
FIX=4 fullgraph=True without the fake kernel
"""

import os

import torch

PROMISES = {
    1: {"error_before": "TorchRuntimeError", "compiles": [1, 1], "graphs": [0, 1]},
}
NEVER = {
    2: {
        "error_before": "TorchRuntimeError", "compiles": [1, 2], "breaks": [0, 1], "graphs": [0, 2],
    },
    3: {"error_before": "TorchRuntimeError", "compiles": [1, 1], "graphs": [0, 0]},
}

FIX = int(os.environ.get("FIX", "0"))


@torch.library.custom_op("lab::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


if FIX == 1:

    @double.register_fake
    def _(x):
        return torch.empty_like(x)


torch._dynamo.config.suppress_errors = FIX == 3
hidden = torch.compiler.disable(lambda x: double(x))


@torch.compile(backend="eager", fullgraph=FIX == 4)
def f(x):
    if FIX == 2:
        return hidden(x + 1) + 1
    return double(x + 1) + 1


OUT = [f(torch.arange(4.0)) for _ in range(2)]
