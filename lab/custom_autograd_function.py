"""A custom autograd function: AOTAutograd's cache is bypassed.

FIX=0 as users write it
FIX=1 torch._functorch.config.autograd_cache_allow_custom_autograd_functions = True
"""

import os

import torch

PROMISES = {
    1: {"bypasses": [1, 0], "since": "2.8"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._functorch.config.autograd_cache_allow_custom_autograd_functions = True


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@torch.compile
def f(x):
    return Double.apply(x) + 1


x = torch.arange(4.0, requires_grad=True)
OUT = [f(x).detach()]
