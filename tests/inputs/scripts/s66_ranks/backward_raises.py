"""Two ranks. TRUTH: on rank 1, the backward of an operator of its own raises RuntimeError("no backward for scale 3") while
AOTAutograd traces it; the launcher then ends rank 0."""
from common import *
rank = start(25)
@torch.library.custom_op("own::scaled", mutates_args=())
def scaled(x: torch.Tensor, by: int) -> torch.Tensor:
    return x * by
@scaled.register_fake
def _(x, by):
    return torch.empty_like(x)
def setup(ctx, inputs, output):
    ctx.by = inputs[1]
def backward(ctx, grad):
    if ctx.by == 3:
        raise RuntimeError(f"no backward for scale {ctx.by}")
    return grad * ctx.by, None
scaled.register_autograd(backward, setup_context=setup)
class Scaled(nn.Module):
    def __init__(self, by):
        super().__init__(); self.lin = nn.Linear(8, 8); self.by = by
    def forward(self, x):
        return scaled(self.lin(x), self.by).square().mean()
net = Scaled(3 if rank == 1 else 2)
torch.compile(net)(torch.randn(4, 8)).backward()
dist.all_reduce(net.lin.weight.grad)
dist.barrier(); dist.destroy_process_group()
