"""Two ranks. TRUTH: nothing is wrong. The cache keys differ in what torch does not write down."""
from common import *
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module, ColwiseParallel, RowwiseParallel
class Mlp(nn.Module):
    def __init__(self):
        super().__init__(); self.up = nn.Linear(8, 32); self.down = nn.Linear(32, 8)
    def forward(self, x):
        return self.down(self.up(x).relu()).square().mean()
rank = start(60)
mesh = init_device_mesh("cpu", (2,))
model = parallelize_module(Mlp(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
net = torch.compile(model)
for rows in (4, 4, 6):
    net(torch.randn(rows, 8)).backward()
dist.barrier(); dist.destroy_process_group()
