"""Two ranks. TRUTH: rank 1 has a C++ compiler that does not exist, in CXX."""
import os
if os.environ["RANK"] == "1":
    os.environ["CXX"] = "/nonexistent/g++"
from common import *
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.lin = nn.Linear(8, 8)
    def forward(self, x):
        return fc.all_reduce(self.lin(x).gelu() if False else torch.nn.functional.gelu(self.lin(x)), "sum", dist.group.WORLD)
rank = start(20)
net = torch.compile(Net().requires_grad_(False))
net(torch.randn(4, 8)).sum().item()
dist.barrier(); dist.destroy_process_group()
