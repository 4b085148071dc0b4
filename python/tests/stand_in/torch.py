"""Stands in for torch where it is not installed: the parts of it that a recording uses, and a compile that writes a stored
log. A test with torch itself holds that these are as torch has them.
"""

import logging
import os
import sys
import types
from pathlib import Path


class LazyTraceHandler(logging.StreamHandler):
    """Writes to a log in the folder that it was given; without a folder it removes itself, as that of torch does."""

    def __init__(self, root_dir):
        self.root_dir = root_dir
        logging.Handler.__init__(self)
        self.stream = None

    def emit(self, record):
        if self.root_dir is None:
            logging.getLogger("torch.__trace").removeHandler(self)
            return
        if self.stream is None:
            self.stream = open(Path(self.root_dir) / "dedicated_log_torch_trace_stand_in.log", "w")
        super().emit(record)

    def close(self):
        if self.stream is not None:
            self.stream.close()
            self.stream = None
        super().close()


class TorchLogsFormatter(logging.Formatter):
    """The text as it is."""

    def __init__(self, trace):
        super().__init__()


def reset():
    """Forgets what was compiled."""
    if "STAND_IN_CANNOT_RESET" in os.environ:
        raise RuntimeError("reset failed")


def compile(text):
    """Writes the text of a log, as torch does when it compiles what the log tells."""
    for record in text.splitlines():
        trace.debug("%s", record)


def module(name, **contents):
    """A module of torch."""
    sys.modules[f"torch.{name}"] = types.ModuleType(f"torch.{name}")
    vars(sys.modules[f"torch.{name}"]).update(contents)
    return sys.modules[f"torch.{name}"]


structured = module("_logging.structured", INTERN_TABLE={"a text of an earlier log": 0})
_logging = module(
    "_logging",
    structured=structured,
    _internal=module("_logging._internal", LazyTraceHandler=LazyTraceHandler, TorchLogsFormatter=TorchLogsFormatter),
)
_dynamo = module("_dynamo", reset=reset)
_inductor = module("_inductor", config=module("_inductor.config", force_disable_caches=False))

trace = logging.getLogger("torch.__trace")
trace.propagate = False
trace.setLevel(logging.DEBUG)
trace.addHandler(LazyTraceHandler(os.environ.get("TORCH_TRACE")))
