"""A graph break inside a with block whose context Dynamo cannot split.

FIX=0 as users write it: print under a context manager of the program
FIX=1 the print after the block
FIX=2 the print removed
FIX=3 torch.compiler.disable on a helper that prints
"""

import os

import torch

PROMISES = {
    2: {"graphs": [0, 2]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))


class Scope:
    def __init__(self, names):
        self.names = names

    def __enter__(self):
        self.names.append("in")

    def __exit__(self, *exception):
        self.names.append("out")


names = []


@torch.compiler.disable
def show():
    print("inside")


@torch.compile(backend="eager")
def f(x):
    x = x * 2
    with Scope(names):
        x = torch.tanh(x)
        if FIX == 0:
            print("inside")
        if FIX == 3:
            show()
        x = x + 1
    if FIX == 1:
        print("inside")
    return x * 3


OUT = [f(torch.arange(4.0)) for _ in range(2)]
