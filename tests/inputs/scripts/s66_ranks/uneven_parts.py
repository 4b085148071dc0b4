"""Two ranks. TRUTH: nothing is wrong. Rank 1 holds 2 of 6 columns, rank 0 has 4, and they exchange rows in uneven splits that fit."""
from common import *
class Mlp(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.up = nn.Linear(8, part); self.down = nn.Linear(part, 8, bias=False)
    def forward(self, x, give, take):
        x = fc.all_reduce(self.down(self.up(x).relu()), "sum", dist.group.WORLD)
        return fc.all_to_all_single(x, take, give, dist.group.WORLD).tanh()
rank = start()
net = Mlp([4, 2][rank]).requires_grad_(False)
torch.compile(net)(torch.randn(4, 8), [[3, 1], [2, 2]][rank], [[3, 2], [1, 2]][rank]).sum().item()
dist.barrier(); dist.destroy_process_group()
