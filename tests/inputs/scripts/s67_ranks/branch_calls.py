"""Two ranks. TRUTH: in its second step rank 1 takes the branch in line 11 and waits in the `all_reduce` of line 7."""
from common import *
class Trainer(nn.Module):
    def __init__(self):
        super().__init__(); self.lin = nn.Linear(8, 8)
    def rescale(self, y):
        norm = fc.all_reduce((y * y).sum(), "sum", dist.group.WORLD).sqrt()
        return y / norm
    def forward(self, x):
        y = self.lin(x)
        if y.abs().max() > 10.0:
            y = self.rescale(y)
        return y.tanh().mean()
rank = start(20)
net = torch.compile(Trainer().requires_grad_(False))
for step in range(3):
    x = torch.randn(4, 8)
    if rank == 1 and step == 1:
        x = x * 100
    net(x).item()
dist.barrier(); dist.destroy_process_group()
