"""Three ranks. TRUTH: rank 2 skips the compiled function `middle` with its all_reduce, so that 0 and 1 wait in it for rank 2, which waits in `last`."""
from common import *
def first(x):
    return fc.all_reduce(x.relu(), "sum", dist.group.WORLD) * 2
def middle(x):
    return fc.all_gather_tensor(x.sigmoid(), 0, dist.group.WORLD)[:4]
def last(x):
    return fc.all_reduce(x.tanh(), "sum", dist.group.WORLD) + 1
rank = start(25)
x = torch.compile(first)(torch.randn(4, 8))
if rank != 2:
    x = torch.compile(middle)(x)
y = torch.compile(last)(x)
float(y.sum())
dist.destroy_process_group()
