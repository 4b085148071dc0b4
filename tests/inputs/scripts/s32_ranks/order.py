"""(2) Two ranks. TRUTH: in `exchange`, rank 1 calls all_gather before all_reduce (lines 13, 14), rank 0 all_reduce before all_gather
(lines 16, 17): another order in process group 0. Guilty: the branch on the rank at line 12 of `exchange`; no graph break, one compile each."""
import datetime, torch, torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch._inductor.config as cfg

GATHER_FIRST = False

@torch.compile
def exchange(x):
    y = x * 2
    if GATHER_FIRST:
        whole = fc.wait_tensor(fc.all_gather_tensor(y, 0, dist.group.WORLD))
        mean = fc.wait_tensor(fc.all_reduce(y + whole.sum(), "avg", dist.group.WORLD))
    else:
        mean = fc.wait_tensor(fc.all_reduce(y, "avg", dist.group.WORLD))
        whole = fc.wait_tensor(fc.all_gather_tensor(y + mean.sum(), 0, dist.group.WORLD))
    return whole.sum() + mean

def main():
    global GATHER_FIRST
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40))
    rank = dist.get_rank(); torch.manual_seed(0); torch.set_num_threads(1)
    if hasattr(cfg, "log_tlparse"):
        cfg.log_tlparse = True
    GATHER_FIRST = rank == 1
    for _ in range(2):
        float(exchange(torch.ones(4)).sum())
    dist.destroy_process_group()
main()
