"""One compiled forward serves layers with weights of several shapes: 8 to 16, 16 to 32, 32 to 4.

FIX=0 as users write it: one compiled forward for all layers
FIX=1 mark_dynamic on the inputs
FIX=2 mark_dynamic on inputs and weights
FIX=3 torch.compile(dynamic=True)
FIX=4 torch._dynamo.config.force_parameter_static_shapes = False (and nn_module_property)
FIX=5 one compile of the whole stack (one graph)
FIX=6 maybe_mark_dynamic on the inputs
"""

import os

import torch

PROMISES = {
    5: {"compiles": [3, 1]},
}
NEVER = {
    1: {"error": "ConstraintViolationError"},
    2: {"error": "ConstraintViolationError"},
    3: {"compiles": [3, 3]},
    6: {"compiles": [3, 3]},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 4:
    torch._dynamo.config.force_parameter_static_shapes = False
    torch._dynamo.config.force_nn_module_property_static_shapes = False


class Block(torch.nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin = torch.nn.Linear(a, b)

    def forward(self, x):
        return torch.relu(self.lin(x))


layers = [Block(a, b) for a, b in [(8, 16), (16, 32), (32, 4)]]
for m in layers:
    if FIX == 2:
        torch._dynamo.mark_dynamic(m.lin.weight, [0, 1])
        torch._dynamo.mark_dynamic(m.lin.bias, 0)
    if FIX != 5:
        m.compile(backend="eager", dynamic=True if FIX == 3 else None)
stack = torch.compile(torch.nn.Sequential(*layers), backend="eager")
OUT = []
for i in range(2):
    x = torch.arange(16.0).view(2, 8) / 10
    if FIX == 5:
        OUT.append(stack(x))
        continue
    for m in layers:
        x = x.detach()
        if FIX in (1, 2):
            torch._dynamo.mark_dynamic(x, 1)
        if FIX == 6:
            torch._dynamo.maybe_mark_dynamic(x, 1)
        x = m(x)
    OUT.append(x)
