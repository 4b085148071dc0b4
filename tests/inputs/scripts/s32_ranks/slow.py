"""Three ranks, a backend of the user's around aot_eager; on rank 1 it sleeps 6 s per graph (a licence server, say) for 2 graphs.
TRUTH: guilty rank 1: each compile takes about 6 s longer, inside the backend compile `turtle` (line time.sleep); same programs; the others wait 12 s
at the barrier. No divergence of what was compiled."""
import time, torch, torch.distributed as dist
from torch._dynamo.backends.common import aot_autograd
from functorch.compile import make_boxed_func

def compile_graph(gm, example_inputs):
    if dist.get_rank() == 1:
        time.sleep(6)
    return make_boxed_func(gm.forward)

turtle = aot_autograd(fw_compiler=compile_graph)

@torch.compile(backend=turtle)
def first(x):
    return torch.sin(x) @ torch.cos(x).t()

@torch.compile(backend=turtle)
def second(x):
    return torch.linalg.norm(x, dim=-1).softmax(0)

def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank(); torch.manual_seed(0); torch.set_num_threads(1)
    y = first(torch.randn(5, 5)); dist.barrier()
    z = second(y); dist.barrier()
    print(rank, "done"); dist.destroy_process_group()
main()
