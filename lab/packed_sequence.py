"""A recurrent layer over packed sequences.

FIX=0 as users write it
FIX=1 padded sequences and a mask, with torch._dynamo.config.allow_rnn = True
FIX=2 torch._dynamo.config.allow_rnn = True alone
"""

import os

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PROMISES = {
    1: {"breaks": [3, 0], "2.10": {"breaks": [2, 0]}},
}
NEVER = {
    2: {"breaks": [3, 3], "2.10": {"error": "TorchRuntimeError"}},
}

FIX = int(os.environ.get("FIX", "0"))
if FIX in (1, 2):
    torch._dynamo.config.allow_rnn = True
torch.manual_seed(0)
gru = torch.nn.GRU(3, 2)


@torch.compile(backend="eager")
def encode(x, lengths, mask):
    x = torch.tanh(x)
    if FIX == 1:
        y, _ = gru(x)
        return y * mask
    packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
    packed, _ = gru(packed)
    y, _ = pad_packed_sequence(packed)
    return y * 1


OUT = []
for _ in range(2):
    lengths = torch.tensor([4, 3, 1])
    mask = (torch.arange(4)[:, None] < lengths)[:, :, None]
    OUT.append(encode(torch.arange(36.0).view(4, 3, 3), lengths, mask).detach())
