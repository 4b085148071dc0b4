"""Two ranks. TRUTH: rank 1 calls the all_reduce of line 7 in the group of all ranks, rank 0 in a group of its own making: both wait."""
from common import *
class Attn(nn.Module):
    def __init__(self, group):
        super().__init__(); self.qkv = nn.Linear(8, 8); self.group = group
    def forward(self, x):
        return fc.all_reduce(self.qkv(x).softmax(-1), "sum", self.group)
rank = start(15)
pair = dist.new_group([0, 1])
net = Attn(dist.group.WORLD if rank == 1 else pair).requires_grad_(False)
torch.compile(net)(torch.randn(4, 8)).sum().item()
dist.destroy_process_group()
