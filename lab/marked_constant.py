"""mark_dynamic on a size that the code makes a constant: ConstraintViolationError.

FIX=0 as users write it
FIX=1 maybe_mark_dynamic in place of mark_dynamic: no error, a version each
FIX=2 the line changed that needs the number
FIX=3 the mark removed
"""

import os

import torch

PROMISES = {
    1: {"error_before": "ConstraintViolationError", "compiles": [1, 4], "graphs": [1, 4]},
    2: {"error_before": "ConstraintViolationError", "compiles": [1, 1]},
    3: {"error_before": "ConstraintViolationError", "compiles": [1, 4], "graphs": [1, 4]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

scale = {n: 1.0 + n / 10 for n in range(64)}


@torch.compile(backend="eager")
def encode(x):
    if FIX == 2:
        return x * (1.0 + x.shape[1] / 10)
    return x * scale[x.shape[1]]


OUT = []
for n in [10, 12, 14, 9]:
    x = torch.arange(2.0 * n).view(2, n)
    if FIX in (0, 2):
        torch._dynamo.mark_dynamic(x, 1)
    if FIX == 1:
        torch._dynamo.maybe_mark_dynamic(x, 1)
    OUT.append(encode(x))
