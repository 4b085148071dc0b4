"""An nn.LSTM in the compiled model: Dynamo breaks the graph at recurrent layers.

FIX=0 as users write it
FIX=1 torch._dynamo.config.allow_rnn = True
"""

import os

import torch

PROMISES = {
    1: {"breaks": [1, 0], "since": "2.15"},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))
if FIX == 1:
    torch._dynamo.config.allow_rnn = True
torch.manual_seed(0)


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(4, 4, batch_first=True)

    def forward(self, x):
        out, _ = self.lstm(x * 2)
        return out + 1


model = torch.compile(Encoder(), backend="eager")
OUT = []
with torch.no_grad():
    for _ in range(2):
        OUT.append(model(torch.arange(24.0).reshape(2, 3, 4)))
