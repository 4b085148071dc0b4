"""Recorded as no_such_compiler.log under torch 2.15: compiles with a C++ compiler that does not exist: a setting that differs from torch's default makes the compile fail."""

import torch
import torch._inductor.config as config

config.cpp.cxx = ("no-such-compiler",)


@torch.compile
def step(x):
    return torch.relu(x.sin() + 1)


try:
    step(torch.randn(8, 8))
except Exception as error:
    print(type(error).__name__, str(error)[:200])
