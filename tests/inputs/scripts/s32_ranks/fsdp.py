"""(5) Two ranks, FSDP2 with uneven last batches. TRUTH: the last batch has 8 rows on rank 0 and 5 on rank 1 (line 28), so only rank 1
compiles Block.forward (line 15) for another size; healthy: the job ends well, nothing hangs."""
import torch, torch.nn as nn, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.lin = nn.Linear(8, 8)

    def forward(self, x):
        return x + torch.tanh(self.lin(self.norm(x)))

def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank(); torch.manual_seed(0); torch.set_num_threads(1)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    model = nn.Sequential(Block())
    for block in model:
        block.compile()
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = 16 if rank == 0 else 13
    for begin in (0, 8):
        batch = torch.randn(rows, 8)[begin:begin + 8]
        model(batch).square().mean().backward()
        opt.step(); opt.zero_grad()
    dist.barrier(); print(rank, "done"); dist.destroy_process_group()
main()
