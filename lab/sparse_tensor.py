"""A sparse matrix is an argument of the compiled function.

FIX=0 as users write it
FIX=1 the matrix dense
FIX=2 the sparse product in the caller, between two compiled functions
FIX=3 the sparse product in a helper under torch.compiler.disable
"""

import os

import torch

PROMISES = {
    1: {"compiles": [1, 1], "graphs": [0, 1]},
    2: {"compiles": [1, 2], "graphs": [0, 2]},
}
NEVER = {
    3: {"compiles": [1, 1], "graphs": [0, 0]},
}

FIX = int(os.environ.get("FIX", "0"))
INDICES = torch.tensor([[0, 1, 2], [1, 2, 0]])
ADJACENCY = torch.sparse_coo_tensor(INDICES, torch.ones(3), (3, 3)).coalesce()
product = torch.compiler.disable(torch.sparse.mm) if FIX == 3 else torch.sparse.mm


@torch.compile(backend="eager")
def convolve(adjacency, x, weight):
    h = x @ weight
    h = adjacency @ h if FIX == 1 else product(adjacency, h)
    return torch.relu(h)


@torch.compile(backend="eager")
def transform(x, weight):
    return x @ weight


@torch.compile(backend="eager")
def activate(h):
    return torch.relu(h)


OUT = []
for i in range(2):
    x, weight = torch.arange(12.0).view(3, 4) - i, torch.eye(4)
    if FIX == 2:
        OUT.append(activate(torch.sparse.mm(ADJACENCY, transform(x, weight))))
    else:
        OUT.append(convolve(ADJACENCY.to_dense() if FIX == 1 else ADJACENCY, x, weight))
