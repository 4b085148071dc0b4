"""A compiled update reads the gradient of a parameter that is a key of a dict, and each step frees the gradients.

FIX=0 as users write it
FIX=1 zero_grad(set_to_none=False)
"""

import os

import torch

PROMISES = {
    1: {"compiles": [8, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Momentum:
    def __init__(self, parameters):
        self.averages = {parameter: torch.zeros_like(parameter) for parameter in parameters}
        self.update = torch.compile(self.step_parameter, backend="eager")

    @torch.no_grad()
    def step_parameter(self, parameter):
        average = self.averages[parameter]
        average.lerp_(parameter.grad, 0.1)
        parameter.sub_(average * 0.05)

    def step(self):
        for parameter in self.averages:
            self.update(parameter)


torch.manual_seed(0)
model = torch.nn.Linear(4, 3)
optimizer = Momentum(model.parameters())
for _ in range(4):
    model(torch.arange(8.0).view(2, 4)).sum().backward()
    optimizer.step()
    model.zero_grad(set_to_none=FIX != 1)
OUT = [parameter.detach().clone() for parameter in model.parameters()]
