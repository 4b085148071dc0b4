"""Two ranks. TRUTH: rank 0 alone marks the batch of its input as dynamic, so it compiles for any batch and does not recompile; rank 1 recompiles for the second batch."""
from common import *
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.lin = nn.Linear(8, 8)
    def forward(self, x):
        return torch.relu(self.lin(x)) + 1
rank = start()
net = torch.compile(Net().requires_grad_(False))
for batch in (4, 6):
    x = torch.randn(batch, 8)
    if rank == 0:
        torch._dynamo.mark_dynamic(x, 0)
    net(x).sum().item(); dist.barrier()
dist.destroy_process_group()
