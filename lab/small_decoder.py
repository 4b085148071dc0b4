"""A decoder of 4 layers of width 512, trained on 1 x 256 tokens on a GPU.

FIX=0 as users write it
FIX=1 mode="reduce-overhead" and cudagraph_mark_step_begin() before each step
FIX=2 each layer compiled (regional): compiles faster, and small layers run slower
"""

import os

import torch

from harness.device import measure

DEVICE = "cuda"
PROMISES = {
    1: {"ratio": {"step_ms": [0, 0.6]}},
    2: {"ratio": {"first_s": [0, 0.8]}},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

WIDTH, LAYERS, BATCH, LENGTH, VOCABULARY = 512, 4, 1, 256, 8000


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = torch.nn.RMSNorm(WIDTH), torch.nn.RMSNorm(WIDTH)
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False), torch.nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate, self.up = torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False), torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.down = torch.nn.Linear(3 * WIDTH, WIDTH, bias=False)

    def forward(self, x):
        query, key, value = self.qkv(self.before(x)).view(*x.shape[:2], 3, WIDTH // 64, 64).permute(2, 0, 3, 1, 4)
        read = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(read.transpose(1, 2).reshape(x.shape))
        y = self.after(x)
        return x + self.down(torch.nn.functional.silu(self.gate(y)) * self.up(y))


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = torch.nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return torch.nn.functional.cross_entropy(self.head(x).float().flatten(0, 1), tokens.flatten())


model = Decoder().to("cuda", torch.bfloat16)
tokens = torch.arange(BATCH * LENGTH, device="cuda").view(BATCH, LENGTH) % VOCABULARY
if FIX == 2:
    for layer in model.layers:
        layer.compile()
    compiled = model
else:
    compiled = torch.compile(model, mode="reduce-overhead" if FIX == 1 else None)


def step():
    torch.compiler.cudagraph_mark_step_begin()
    compiled(tokens).backward()
    model.zero_grad(set_to_none=True)


MEASURED = measure(step, runs=10)
OUT = [LAYERS]
