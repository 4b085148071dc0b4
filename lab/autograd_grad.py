"""torch.autograd.grad in a forward, under fullgraph=True.

FIX=0 as users write it
FIX=1 torch._dynamo.config.trace_autograd_ops = True
FIX=2 torch.func.grad
"""

import os

import torch

PROMISES = {
    1: {"error_before": "Unsupported", "since": "2.15"},
    2: {"error_before": "Unsupported"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.trace_autograd_ops = True
weight = torch.arange(4.0)


@torch.compile(backend="eager", fullgraph=True)
def force(x):
    if FIX == 2:
        return torch.func.grad(lambda z: (torch.tanh(z) * weight).sum())(x)
    energy = (torch.tanh(x) * weight).sum()
    (gradient,) = torch.autograd.grad(energy, x)
    return gradient


OUT = [force(torch.arange(4.0, requires_grad=True)).detach() for _ in range(2)]
