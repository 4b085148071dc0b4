"""logging.getLogger(..).info in forward.

FIX=0 as users write it: logger.info with a constant text
FIX=1 torch._dynamo.config.ignore_logging_functions.add(logger.info)
FIX=2 torch._dynamo.config.ignore_logger_methods.add(logging.Logger.info) (2.6 and 2.8)
FIX=3 if not torch.compiler.is_compiling()
FIX=4 torch._dynamo.config.reorderable_logging_functions.add(logger.info)
FIX=5 torch._dynamo.config.ignore_logging_functions.add(logging.Logger.info)
"""

import logging
import os

import torch

PROMISES = {
    1: {"compiles": [2, 1], "breaks": [1, 0], "since": "2.15"},
    2: {"compiles": [2, 1], "breaks": [1, 0]},
    3: {"compiles": [2, 1], "breaks": [1, 0]},
}
NEVER = {}

FIX = int(os.environ.get("FIX", "0"))

logger = logging.getLogger("train")
if FIX == 1:
    torch._dynamo.config.ignore_logging_functions.add(logger.info)
if FIX == 2:
    torch._dynamo.config.ignore_logger_methods.add(logging.Logger.info)
if FIX == 4:
    torch._dynamo.config.reorderable_logging_functions.add(logger.info)
if FIX == 5:
    torch._dynamo.config.ignore_logging_functions.add(logging.Logger.info)


@torch.compile(backend="eager")
def f(x):
    x = x * 2
    if FIX != 3 or not torch.compiler.is_compiling():
        logger.info("after mul")
    return x + 1


OUT = [f(torch.arange(4.0)) for _ in range(2)]
