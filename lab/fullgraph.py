"""fullgraph=True on a function that breaks (print): the error names the break.

FIX=0 as users write it
FIX=1 fullgraph=False
FIX=2 torch._dynamo.config.ignore_logging_functions.add(print) (after 2.8)
FIX=4 item() in place of print
FIX=5 item() with capture_scalar_outputs
FIX=3 the cause removed (no print)
"""

import os

import torch

PROMISES = {
    2: {"error_before": "Unsupported", "compiles": [1, 1], "graphs": [0, 1], "since": "2.15"},
    3: {"error_before": "Unsupported", "compiles": [1, 1], "graphs": [0, 1]},
}
NEVER = {
    1: {"error_before": "Unsupported", "compiles": [1, 2], "breaks": [0, 1], "graphs": [0, 2]},
}

FIX = int(os.environ.get("FIX", "0"))
torch._dynamo.config.capture_scalar_outputs = FIX == 5
if FIX == 2:
    torch._dynamo.config.ignore_logging_functions.add(print)


@torch.compile(backend="eager", fullgraph=FIX != 1)
def f(x):
    s = x.sum()
    if FIX in (4, 5):
        s = s.item()
    if FIX in (0, 1, 2):
        print("sum")
    return x / s


OUT = [f(torch.arange(4.0)) for _ in range(2)]
