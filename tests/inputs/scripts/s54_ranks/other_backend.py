"""Two ranks. TRUTH: rank 1 compiles with aot_eager, rank 0 with Inductor."""
from common import *
class Core(nn.Module):
    def __init__(self):
        super().__init__(); self.lin = nn.Linear(8, 8)
    def forward(self, x):
        return fc.all_reduce(self.lin(x).sigmoid(), "sum", dist.group.WORLD)
rank = start()
net = Core().requires_grad_(False)
torch.compile(net, backend="aot_eager" if rank == 1 else "inductor")(torch.randn(4, 8)).sum().item()
dist.barrier(); dist.destroy_process_group()
