"""A plain tensor attribute of a module changes its size between calls (memory bank: self.bank), 4, 6, 8, 10 rows.

FIX=0 as users write it
FIX=1 mark_dynamic(self.bank, 0) after each change
FIX=2 maybe_mark_dynamic
FIX=3 torch.compile(dynamic=True)
FIX=4 TORCH_COMPILE_DYNAMIC_SOURCES with the name in the reason
FIX=5 the bank is an argument of forward, mark_dynamic
FIX=6 the bank is a registered buffer
FIX=7 torch._dynamo.config.force_nn_module_property_static_shapes = False
"""

import os

import torch

PROMISES = {
    2: {"compiles": [2, 1]},
    4: {"compiles": [2, 1], "since": "2.8"},
}
NEVER = {
    6: {"compiles": [2, 4]},
    7: {"compiles": [2, 2]},
}

FIX = int(os.environ.get("FIX", "0"))

if FIX == 4:
    torch.compiler.config.dynamic_sources = "L['self'].bank"
if FIX == 7:
    torch._dynamo.config.force_nn_module_property_static_shapes = False


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        if FIX == 6:
            self.register_buffer("bank", torch.zeros(4, 8))

    def forward(self, x, bank=None):
        return x @ (self.bank if bank is None else bank).t()


net = Net()
run = torch.compile(net, backend="eager", dynamic=True if FIX == 3 else None)
OUT = []
for n in [4, 6, 8, 10]:
    bank = torch.arange(n * 8.0).view(n, 8) / 40
    if FIX in (1, 5):
        torch._dynamo.mark_dynamic(bank, 0)
    if FIX == 2:
        torch._dynamo.maybe_mark_dynamic(bank, 0)
    x = torch.ones(2, 8)
    if FIX == 5:
        OUT.append(run(x, bank))
    else:
        net.bank = bank
        OUT.append(run(x))
