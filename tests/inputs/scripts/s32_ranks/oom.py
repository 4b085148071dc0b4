"""(3) Two ranks. TRUTH: rank 1's backward of `Mlp.forward` (lines 15 to 16) fails while Inductor compiles it, with an OutOfMemoryError;
rank 0 compiles both directions and is ended by the launcher. Guilty: rank 1, backward of Mlp.forward."""
import torch, torch.nn as nn, torch.distributed as dist
import torch._inductor.config as cfg
from torch._inductor.graph import GraphLowering

class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(6, 24)
        self.down = nn.Linear(24, 6)

    def forward(self, x):
        h = torch.nn.functional.gelu(self.up(x))
        return self.down(h)

def starve():
    real = GraphLowering.run
    def run(self, *args):
        if self.is_backward:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 79.10 GiB")
        return real(self, *args)
    GraphLowering.run = run

def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank(); torch.manual_seed(0); torch.set_num_threads(1)
    if rank == 1:
        starve()
    model = Mlp(); step = torch.compile(model)
    for _ in range(3):
        step(torch.randn(4, 6)).sum().backward()
        for p in model.parameters():
            dist.all_reduce(p.grad)
        model.zero_grad()
    dist.destroy_process_group()
main()
