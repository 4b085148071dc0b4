"""Three ranks. TRUTH: rank 2 alone compiles with mode="max-autotune-no-cudagraphs"; the graphs are equal."""
from common import *
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.lin = nn.Linear(16, 16)
    def forward(self, x):
        return fc.all_reduce(torch.tanh(self.lin(x)), "sum", dist.group.WORLD)
rank = start()
net = Net().requires_grad_(False)
step = torch.compile(net, mode="max-autotune-no-cudagraphs") if rank == 2 else torch.compile(net)
step(torch.randn(4, 16)).sum().item()
dist.barrier(); dist.destroy_process_group()
