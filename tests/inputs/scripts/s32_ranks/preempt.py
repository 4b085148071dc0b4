"""(4) Two ranks. TRUTH: rank 1 is killed (SIGKILL, as by a preempted machine) while Inductor generates code for `second` (line 12);
rank 0 compiles `second` and waits at the barrier until the launcher ends it. Guilty: rank 1, inside the compile of `second`."""
import os, signal, torch, torch.distributed as dist
from torch._inductor.graph import GraphLowering

@torch.compile
def first(x):
    return x.sin() + 1

@torch.compile
def second(x):
    return x.cos() @ x.t()

def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank(); torch.manual_seed(0); torch.set_num_threads(1)
    y = first(torch.randn(5, 5)); dist.barrier()
    if rank == 1:
        def die(*args, **kwargs):
            os.kill(os.getpid(), signal.SIGKILL)
        GraphLowering.codegen = die
    z = second(y); dist.barrier()
    dist.destroy_process_group()
main()
