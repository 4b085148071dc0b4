"""Two ranks. TRUTH: rank 1 has GELU where the others have ReLU."""
from common import *
class Tail(nn.Module):
    def __init__(self, act):
        super().__init__(); self.lin = nn.Linear(8, 8); self.act = act
    def forward(self, x):
        h = self.lin(x)
        h = self.act(h)
        return fc.all_reduce(h, "sum", dist.group.WORLD)
rank = start()
net = Tail(nn.GELU() if rank == 1 else nn.ReLU()).requires_grad_(False)
torch.compile(net)(torch.randn(4, 8)).sum().item()
dist.barrier(); dist.destroy_process_group()
