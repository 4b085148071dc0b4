"""Two ranks. TRUTH: rank 0 alone freezes self.base (requires_grad False), so its backward has fewer gradients."""
from common import *
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.base = nn.Linear(8, 8); self.head = nn.Linear(8, 4)
    def forward(self, x):
        return self.head(self.base(x).relu())
rank = start()
net = Net()
if rank == 0:
    net.base.requires_grad_(False)
torch.compile(net)(torch.randn(4, 8)).sum().backward()
for p in net.head.parameters():
    dist.all_reduce(p.grad)
dist.barrier(); dist.destroy_process_group()
