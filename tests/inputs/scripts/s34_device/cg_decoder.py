"""A decoder under reduce-overhead: all kernels run in a CUDA graph, so the trace names no operator of theirs."""
import torch
import torch.nn.functional as F
from common import DEV, profile

torch.manual_seed(0)


class Layer(torch.nn.Module):
    def __init__(self, width=1024, heads=16):
        super().__init__()
        self.heads = heads
        self.norm = torch.nn.RMSNorm(width)
        self.qkv = torch.nn.Linear(width, 3 * width, bias=False)
        self.out = torch.nn.Linear(width, width, bias=False)
        self.up = torch.nn.Linear(width, 4 * width, bias=False)
        self.down = torch.nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.silu(self.up(self.norm(x))))


class Decoder(torch.nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer() for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


model = torch.compile(Decoder().to(DEV, torch.bfloat16), mode="reduce-overhead")
x = torch.randn(4, 1024, 1024, device=DEV, dtype=torch.bfloat16)
with torch.no_grad():
    profile(lambda: model(x), warm=6)
