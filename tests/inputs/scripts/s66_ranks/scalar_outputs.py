"""Two ranks. TRUTH: rank 1 alone sets capture_scalar_outputs, so only rank 0 breaks its graph at .item(); no collective differs."""
from common import *
class Clip(nn.Module):
    def __init__(self):
        super().__init__(); self.lin = nn.Linear(8, 8)
    def forward(self, x):
        h = self.lin(x)
        limit = h.abs().max().item()
        return fc.all_reduce(h / (limit + 1.0), "sum", dist.group.WORLD)
rank = start()
torch._dynamo.config.capture_scalar_outputs = rank == 1
net = torch.compile(Clip().requires_grad_(False))
net(torch.randn(4, 8)).sum().item()
dist.barrier(); dist.destroy_process_group()
