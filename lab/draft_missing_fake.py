"""draft_export of an operator without a fake kernel.

FIX=0 as users write it
FIX=1 torch.library.register_fake
"""

import os

import torch

PROMISES = {
    1: {"problems": [1, 0]},
}
NEVER = {}
DTRACE = True

FIX = int(os.environ.get("FIX", "0"))


@torch.library.custom_op("lab::no_fake", mutates_args=())
def no_fake(x: torch.Tensor) -> torch.Tensor:
    return x.clone() * 2


if FIX == 1:

    @no_fake.register_fake
    def _(x):
        return torch.empty_like(x)


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.ops.lab.no_fake(x) + 1


program = torch.export.draft_export(Net(), (torch.arange(4.0),))
OUT = [program.module()(torch.arange(4.0))]
