import torch
from torch import device, inf, nan, tensor  # noqa: F401
from torch._dynamo.repro.after_dynamo import run_repro

# [settings]

# The backend that the program gave to torch.compile; put your own here if it failed in it.
BACKEND = "inductor"


# [graph]


def random(reader, shape, stride, dtype, where):
    """A tensor of random numbers; zeros if it is of integers."""
    if stride is None:
        stride = torch.empty(shape, device="meta").stride()
    elements = 1 + sum((extent - 1) * step for extent, step in zip(shape, stride))
    storage = reader.storage(None, max(elements, 0) * dtype.itemsize, device=torch.device(where), dtype_hint=dtype)
    reader.tensor(storage, shape, stride, dtype=dtype, is_leaf=True)


def load_args(reader):
    # [inputs]
    pass


load_args._version = 0
if __name__ == "__main__":
    run_repro(CLASS(), load_args, accuracy=False, command="COMMAND", save_dir=None, autocast=False, backend=BACKEND)
