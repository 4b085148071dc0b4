"""A print in the forward of a torch.autograd.Function: the break is in a higher-order operator.

FIX=0 as users write it
FIX=1 torch._dynamo.config.reorderable_logging_functions.add(print)
FIX=2 if not torch.compiler.is_compiling(): print(..)
FIX=3 torch._dynamo.config.ignore_logging_functions.add(print)
"""

import os

import torch

PROMISES = {
    1: {"graphs": [3, 1], "breaks": [2, 0]},
    2: {"graphs": [3, 1], "breaks": [2, 0]},
    3: {"graphs": [3, 1], "breaks": [2, 0], "since": "2.15"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.reorderable_logging_functions.add(print)
if FIX == 3:
    torch._dynamo.config.ignore_logging_functions.add(print)


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if FIX in (0, 1, 3):
            print("clipping")
        if FIX == 2 and not torch.compiler.is_compiling():
            print("clipping")
        ctx.save_for_backward(x)
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * (x.abs() <= 1)


@torch.compile(backend="eager")
def step(x, weight):
    h = x @ weight
    h = Clip.apply(h)
    return h.sum()


weight = torch.eye(4, requires_grad=True)
OUT = [step(torch.arange(8.0).view(2, 4), weight) for _ in range(2)]
