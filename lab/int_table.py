"""An int attribute is looked up in a table of numbers (a schedule): graphs differ in a number that is no operand.

FIX=0 as users write it
FIX=1 torch._dynamo.config.allow_unspec_int_on_nn_module = True
FIX=2 TORCH_COMPILE_DYNAMIC_SOURCES="L['self'].step"
FIX=3 the looked-up number is the attribute, with allow_unspec_int_on_nn_module
"""

import os

import torch

PROMISES = {
    3: {"compiles": [7, 2], "since": "2.8"},
}
NEVER = {
    1: {"compiles": [7, 7], "since": "2.8"},
    2: {"compiles": [7, 7], "since": "2.8"},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX in (1, 3):
    torch._dynamo.config.allow_unspec_int_on_nn_module = True
if FIX == 2:
    torch.compiler.config.dynamic_sources = "L['self'].step"
TABLE = {i: i * i / 7 for i in range(20)}


class Net(torch.nn.Module):
    step, gain = 0, 0.0

    def forward(self, x):
        return x * (self.gain if FIX == 3 else TABLE[self.step])


net = Net()
run = torch.compile(net, backend="eager")
OUT = []
for i in range(7):
    net.step, net.gain = i, TABLE[i]
    OUT.append(run(torch.arange(4.0)))
