"""What torch 2.3 to 2.5 record: a graph break, sizes that change, a name that reaches the recompile limit, a backend
that fails, and training steps. usage: s27_old_torch.py"""

import torch
import torch._dynamo
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    """A small model that is trained."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.out = nn.Linear(16, 4)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


def train():
    """Two steps, the second with a smaller batch."""
    model = Classifier()
    compiled = torch.compile(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for rows in (8, 6):
        optimizer.zero_grad()
        loss = compiled(torch.randn(rows, 8)).square().mean()
        loss.backward()
        optimizer.step()


@torch.compile(backend="eager")
def normalize(x):
    """Breaks at `print`."""
    y = x - x.mean()
    print("mean is taken off")
    return y / y.std()


@torch.compile(backend="eager")
def scale(x, name):
    """A version for each name, until the limit is reached."""
    return x * len(name) if name != "none" else x


def broken(graph, inputs):
    """A backend that raises."""
    raise RuntimeError("the backend cannot compile this graph")


@torch.compile(backend=broken)
def doubled(x):
    """Its backend fails."""
    return x * 2


train()
normalize(torch.randn(8))
for number in range(10):
    scale(torch.ones(4), f"name{number}")
try:
    doubled(torch.ones(4))
except Exception as error:  # noqa: BLE001
    print(type(error).__name__)
