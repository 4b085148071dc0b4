"""draft_export of an operator whose fake kernel disagrees with the real one.

FIX=0 as users write it
FIX=1 the fake kernel returns what the operator returns
"""

import os

import torch

PROMISES = {
    1: {"problems": [1, 0]},
}
NEVER = {}
DTRACE = True

FIX = int(os.environ.get("FIX", "0"))


@torch.library.custom_op("lab::wrong_fake", mutates_args=())
def wrong_fake(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@wrong_fake.register_fake
def _(x):
    return x.new_empty(x.shape) if FIX == 1 else x.new_empty((x.shape[0], x.shape[1] + 1))


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.ops.lab.wrong_fake(x).sum()


program = torch.export.draft_export(Net(), (torch.arange(12.0).view(3, 4),))
OUT = [program.module()(torch.arange(12.0).view(3, 4))]
