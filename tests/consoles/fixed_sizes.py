"""Sizes that become symbols, one that a key makes a constant, one of which only the data tells the value, and a `print` in a
graph that must be whole: what TORCH_LOGS=dynamic says of them."""

import torch

GAIN = {4: 1.0, 6: 1.5}
torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile(backend="eager")
def scaled(x):
    return (x * GAIN[x.shape[1]]).sum(0)


@torch.compile(backend="eager")
def positive(x):
    return x[x > 0] * 2


@torch.compile(backend="eager", fullgraph=True)
def printed(x):
    print("sum")
    return x + 1


for rows, columns in [(8, 4), (6, 4), (5, 6)]:
    scaled(torch.ones(rows, columns))
positive(torch.tensor([-1.0, 1.0, 2.0]))
printed(torch.ones(3))
