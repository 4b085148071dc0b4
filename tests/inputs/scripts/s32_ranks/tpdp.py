"""(6) Four ranks, a 2 x 2 mesh: tensor parallel in rows, data parallel in columns. TRUTH: healthy: all compile Feed.forward (line 15) alike,
each with its all_reduce in the tensor-parallel group of its row (other groups by design). No difference of code, nothing hangs."""
import torch, torch.nn as nn, torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch._inductor.config as cfg
from torch.distributed.device_mesh import init_device_mesh

class Feed(nn.Module):
    def __init__(self, tp, dp):
        super().__init__()
        self.tp, self.dp = tp, dp
        self.up = nn.Linear(8, 4); self.down = nn.Linear(4, 8)

    def forward(self, x):
        h = torch.relu(self.up(x))
        y = fc.all_reduce(self.down(h), "sum", self.tp)
        return y - fc.all_reduce(y.mean(0), "avg", self.dp)

def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0); torch.set_num_threads(1)
    if hasattr(cfg, "log_tlparse"):
        cfg.log_tlparse = True
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    model = Feed(mesh["tp"].get_group(), mesh["dp"].get_group()).requires_grad_(False)
    run = torch.compile(model)
    for _ in range(3):
        float(run(torch.randn(4, 8)).sum())
    dist.barrier(); print("done"); dist.destroy_process_group()
main()
