"""Two ranks. TRUTH: rank 1 reduces with "max" in line 7 where rank 0 has "sum"; the calls pair, and the results are wrong."""
from common import *
class Stat(nn.Module):
    def __init__(self, how):
        super().__init__(); self.how = how
    def forward(self, x):
        peak = fc.all_reduce(x.abs().amax(-1), self.how, dist.group.WORLD)
        return x / peak.unsqueeze(-1)
rank = start()
net = Stat("max" if rank == 1 else "sum")
torch.compile(net)(torch.randn(4, 8)).sum().item()
dist.barrier(); dist.destroy_process_group()
