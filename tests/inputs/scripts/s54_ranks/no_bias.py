"""Three ranks. TRUTH: rank 1 alone has a layer without bias (line 6: self.proj); one parameter fewer, the same collectives."""
from common import *
class Net(nn.Module):
    def __init__(self, bias):
        super().__init__(); self.lin = nn.Linear(8, 8)
        self.proj = nn.Linear(8, 8, bias=bias)
    def forward(self, x):
        return fc.all_reduce(self.proj(self.lin(x).relu()), "sum", dist.group.WORLD)
rank = start()
net = Net(bias=rank != 1).requires_grad_(False)
torch.compile(net)(torch.randn(4, 8)).sum().item()
dist.barrier(); dist.destroy_process_group()
