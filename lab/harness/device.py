"""Measures calls on a GPU, for programs that need one."""

import fcntl
import os
import tempfile
import time

import torch

WARM_CALLS = 5


def measure(call, runs=30, first=None):
    """The seconds of the first call, which compiles, and the median of a later one in ms; CUDA graphs that were skipped.

    Programs that run side by side compile at the same time, and are timed one after the other.
    """
    torch.cuda.synchronize()
    began = time.perf_counter()
    (first or call)()
    torch.cuda.synchronize()
    compiled = time.perf_counter() - began
    with open(os.path.join(tempfile.gettempdir(), "lab-device.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for _ in range(WARM_CALLS):
            call()
        times = sorted(timed(call) for _ in range(runs))
    skipped = torch._dynamo.utils.counters["inductor"]["cudagraph_skips"]
    return {"first_s": round(compiled, 2), "step_ms": round(times[runs // 2] * 1e3, 3), "skipped": int(skipped > 0)}


def timed(call):
    """The seconds of one call."""
    torch.cuda.synchronize()
    began = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return time.perf_counter() - began
