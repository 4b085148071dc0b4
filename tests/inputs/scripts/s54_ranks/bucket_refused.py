"""Two ranks. TRUTH: rank 1 alone wraps its model with bucket_cap_mb=0.001, which DDPOptimizer refuses: an AssertionError on rank 1 ends it; rank 0 waits and is ended."""
from common import *
from torch.nn.parallel import DistributedDataParallel as DDP
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(4))
    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x
rank = start()
net = torch.compile(DDP(Net(), bucket_cap_mb=0.001 if rank == 1 else 25))
net(torch.randn(4, 32)).sum().backward()
dist.barrier(); dist.destroy_process_group()
