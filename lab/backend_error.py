"""The backend raises on the graph.

FIX=0 as users write it
FIX=1 the backend mended
FIX=2 torch._dynamo.config.suppress_errors = True: it runs in eager mode
FIX=3 another backend
"""

import os

import torch

PROMISES = {
    1: {"error_before": "BackendCompilerFailed", "compiles": [1, 1]},
}
NEVER = {
    2: {"error_before": "BackendCompilerFailed", "compiles": [1, 1], "graphs": [0, 0]},
}

FIX = int(os.environ.get("FIX", "0"))

torch._dynamo.config.suppress_errors = FIX == 2


def backend(graph, inputs):
    if FIX in (0, 2):
        raise NotImplementedError("no lowering for tanh")
    return graph.forward


@torch.compile(backend="eager" if FIX == 3 else backend)
def f(x):
    return torch.tanh(x) + 1


OUT = [f(torch.arange(4.0)) for _ in range(2)]
