"""(1) Two ranks. TRUTH: rank 1 skips the second all_reduce inside `Gate.forward` (the branch at line 15), so rank 0 waits there: a hang,
ended by a timeout of 8 s. Guilty: rank 1, function Gate.forward, line 15; process group 0."""
import datetime, torch, torch.nn as nn, torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch._inductor.config as cfg

class Gate(nn.Module):
    def __init__(self, syncs):
        super().__init__()
        self.lin = nn.Linear(8, 8)
        self.syncs = syncs

    def forward(self, x):
        h = fc.all_reduce(self.lin(x), "sum", dist.group.WORLD)
        if self.syncs:
            scale = fc.all_reduce(h.abs().amax(0), "max", dist.group.WORLD)
            h = h / scale
        return h.relu()

def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40))
    rank = dist.get_rank(); torch.manual_seed(0); torch.set_num_threads(1)
    if hasattr(cfg, "log_tlparse"):
        cfg.log_tlparse = True
    model = Gate(syncs=rank == 0).requires_grad_(False)
    run = torch.compile(model)
    for _ in range(3):
        out = run(torch.randn(4, 8))
        float(out.sum())
    dist.destroy_process_group()
main()
