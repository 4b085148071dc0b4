"""A custom pass of Inductor without uuid(): its graphs are not cached.

FIX=0 as users write it
FIX=1 a CustomGraphPass with a uuid()
FIX=2 the pass removed
"""

import os

import torch

PROMISES = {
    1: {"bypasses": [2, 0]},
    2: {"bypasses": [2, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Plain:
    def __call__(self, graph):
        return None


class Named(torch._inductor.custom_graph_pass.CustomGraphPass):
    def __call__(self, graph):
        return None

    def uuid(self):
        return "lab-pass-1"


if FIX != 2:
    torch._inductor.config.post_grad_custom_post_pass = Named() if FIX == 1 else Plain()


@torch.compile
def f(x):
    return torch.softmax(x, -1) * 2


OUT = [f(torch.arange(8.0).view(2, 4))]
