"""Two ranks. TRUTH: rank 1 alone keeps `self.head` out of the graph with torch.compiler.disable: a graph break in line 12; no collective differs."""
from common import *
class Head(nn.Module):
    def __init__(self):
        super().__init__(); self.out = nn.Linear(8, 4)
    def forward(self, x):
        return self.out(x.relu())
class Model(nn.Module):
    def __init__(self):
        super().__init__(); self.body = nn.Linear(8, 8); self.head = Head()
    def forward(self, x):
        return fc.all_reduce(self.head(self.body(x).tanh()), "sum", dist.group.WORLD)
rank = start()
model = Model().requires_grad_(False)
if rank == 1:
    model.head.forward = torch.compiler.disable(model.head.forward)
torch.compile(model)(torch.randn(4, 8)).sum().item()
dist.barrier(); dist.destroy_process_group()
