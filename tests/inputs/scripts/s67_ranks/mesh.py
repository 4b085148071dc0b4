"""Four ranks. TRUTH: nothing is wrong: four ranks in a mesh of two by two, whose groups have names of their own."""
from common import *
from torch.distributed.device_mesh import init_device_mesh
class Block(nn.Module):
    def __init__(self, tp, dp):
        super().__init__(); self.up = nn.Linear(8, 4); self.down = nn.Linear(4, 8, bias=False); self.tp = tp; self.dp = dp
    def forward(self, x):
        y = fc.all_reduce(self.down(self.up(x).relu()), "sum", self.tp)
        return fc.all_reduce((y * y).mean(), "avg", self.dp)
rank = start()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
net = torch.compile(Block(mesh["tp"], mesh["dp"]).requires_grad_(False))
for _ in range(2):
    net(torch.randn(4, 8)).item()
dist.barrier(); dist.destroy_process_group()
