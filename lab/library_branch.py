"""A class of torch.distributions that branches on the value of its argument.

FIX=0 as users write it
FIX=1 made by the caller, which passes what is needed of it
FIX=2 the class under torch.compiler.disable
"""

import os

import torch
from torch.distributions import Wishart

PROMISES = {
    1: {"breaks": [1, 0]},
}
NEVER = {
    2: {"breaks": [1, 1]},
}

FIX = int(os.environ.get("FIX", "0"))
made = torch.compiler.disable(lambda df, cov: Wishart(df, covariance_matrix=cov).mean)


@torch.compile(backend="eager")
def prior(x, df, cov, mean=None):
    x = torch.tanh(x)
    if FIX == 2:
        mean = made(df, cov)
    if FIX == 0:
        mean = Wishart(df, covariance_matrix=cov).mean
    return x @ mean


OUT = []
for _ in range(2):
    df, cov = torch.tensor(5.0), torch.eye(3)
    mean = Wishart(df, covariance_matrix=cov).mean if FIX == 1 else None
    OUT.append(prior(torch.arange(3.0), df, cov, mean))
