"""Causal attention of several heads, trained (backward compiled too, aot_eager), length 12, 16, 20.

FIX=0 as users write it
FIX=1 torch.compile(dynamic=True)
FIX=2 maybe_mark_dynamic on the set: (x, 1), (mask, 1)
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = torch.nn.Linear(16, 48), torch.nn.Linear(16, 16)

    def forward(self, x, mask):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, 4, 4).permute(2, 0, 3, 1, 4)
        att = (q @ k.transpose(-1, -2)).masked_fill(torch.ones(n, n, dtype=torch.bool).tril().logical_not(), -1e9)
        att = att.masked_fill(~mask[:, None, None, :], -1e9)
        return self.out((att.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))


net = Block()
run = torch.compile(net, backend="aot_eager", dynamic=True if FIX == 1 else None)
OUT = []
for n in [12, 16, 20, 10]:
    x, mask = torch.arange(2 * n * 16.0).view(2, n, 16) / 500, torch.ones(2, n, dtype=torch.bool)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(x, 1)
        torch._dynamo.maybe_mark_dynamic(mask, 1)
    y = run(x, mask)
    y.sum().backward()
    OUT += [y, net.qkv.weight.grad.clone()]
