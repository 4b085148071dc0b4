"""Runs programs of the lab under the torch of the Python that this is started with.

    PYTHON lab/harness/worker.py

It imports torch once and forks a process per run. Each line of its input is a request, each line of its output a reply,
both JSON; `torch_process.py` is the other end. A request has: program, fix, eager, folder (empty, for the log and the
caches), expected (the folder of the run whose results must be equal, or null), marks (see marks.py), sources (for
TORCH_COMPILE_DYNAMIC_SOURCES), dtrace, timeout.
"""

import _thread
import ast
import glob
import json
import os
import runpy
import signal
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.remove(HERE)  # torch must not find the files here under the names of other modules
sys.path.append(os.path.dirname(HERE))  # where programs find harness.device
os.environ.update(OMP_NUM_THREADS="1", TORCHINDUCTOR_COMPILE_THREADS="1", TORCH_TRACE=os.path.join(HERE, "nowhere"))

import torch
import torch._dynamo
import torch._logging._internal as torch_logs
from torch.utils._pytree import tree_leaves

mark_calls = runpy.run_path(os.path.join(HERE, "marks.py"))["mark_calls"]
RESULT, VALUES, PRINTED = "result.json", "values.pt", "printed.txt"
LONGEST_ERROR = 160


def prepare(request):
    """What a run needs before its program starts."""
    folder = request["folder"]
    os.environ.update(FIX=str(request["fix"]), TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "cache"))
    os.dup2(os.open(os.path.join(folder, PRINTED), os.O_CREAT | os.O_WRONLY), 1)
    os.dup2(1, 2)
    torch_logs.LOG_TRACE_HANDLER.root_dir = folder
    if request["dtrace"]:  # draft export writes its own log, into the folder of this variable
        torch_logs.GET_DTRACE_STRUCTURED = True
        os.environ["TORCH_DTRACE"] = folder
    torch.manual_seed(0)
    if request["eager"]:
        torch.compiler.set_stance("force_eager")
    if request["marks"]:
        mark_calls(torch, request["marks"])


def run_program(path, sources, in_thread):
    """Runs a program and returns its variables and its exception.

    A thread that starts in `exec` has no frame of this file below those of the program: the stacks in its log are those
    of `python program.py`.
    """
    with open(path) as source:
        tree = ast.parse(source.read())
    if sources:  # settings are those of a thread, so the program itself has to set it
        tree.body[:0] = ast.parse(f"import torch\ntorch.compiler.config.dynamic_sources = {sources!r}").body
    done, raised = _thread.allocate_lock(), []
    tree.body.append(ast.Expr(ast.Call(ast.Name("_lab_done", ast.Load()), [], [])))
    code = compile(ast.fix_missing_locations(tree), path, "exec")
    module = type(sys)("__main__")
    module.__dict__.update(__file__=path, _lab_done=done.release)
    sys.modules["__main__"] = module
    done.acquire()

    def on_exception(unraisable):
        raised.append(unraisable.exc_value)
        done.release()

    if in_thread:
        sys.unraisablehook = on_exception
        _thread.start_new_thread(exec, (code, module.__dict__))
        done.acquire()
    else:
        try:
            exec(code, module.__dict__)
        except BaseException as error:
            raised.append(error)
    return module.__dict__, raised[0] if raised else None


def in_words(error):
    """The class and the first line of an exception."""
    if error is None:
        return None
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:LONGEST_ERROR]


def run(request):
    """One run, in its own process."""
    prepare(request)
    variables, error = run_program(request["program"], request["sources"], in_thread=not request["eager"])
    if error is not None:
        traceback.print_exception(type(error), error, error.__traceback__)
    leaves = tree_leaves(variables.get("OUT"))
    values = [leaf.detach() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    torch.save(values, os.path.join(request["folder"], VALUES))
    counters = torch._dynamo.utils.counters
    result = {
        "error": in_words(error),
        "graphs": counters["stats"]["unique_graphs"],
        "breaks": sum(counters["graph_break"].values()),
        "measured": variables.get("MEASURED", {}),
    }
    if request["expected"]:
        result["equal"] = is_as_expected(request["expected"], values)
    with open(os.path.join(request["folder"], RESULT), "w") as out:
        json.dump(result, out)


def is_as_expected(folder, values):
    """Whether results are those of another run. Where that run raised, there is nothing to compare with."""
    with open(os.path.join(folder, RESULT)) as stored:
        if json.load(stored)["error"] is not None:
            return True
    return are_equal(torch.load(os.path.join(folder, VALUES), weights_only=False), values)


def are_equal(expected, values):
    """Whether two lists of results are equal but for rounding."""
    return len(expected) == len(values) and all(map(is_equal, expected, values))


def is_equal(one, other):
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        same_shape = one.shape == other.shape
        return same_shape and torch.allclose(one.double(), other.double(), 1e-3, 1e-4, equal_nan=True)
    if isinstance(one, float) and isinstance(other, (int, float)):
        return abs(one - other) <= 1e-3 * max(1, abs(one))
    return type(one) is type(other) and bool(one == other)


def wait(process, seconds):
    """Waits for a process, and ends it after that time. Returns whether it ended by itself."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if os.waitpid(process, os.WNOHANG)[0]:
            return True
        time.sleep(0.02)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return False


def reply(request):
    """Runs what is asked for, and what came out."""
    process = os.fork()
    if process == 0:
        try:
            run(request)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(0)
    in_time = wait(process, request["timeout"])
    result = {"error": "crashed" if in_time else "timeout", "graphs": 0, "breaks": 0, "equal": False}
    path = os.path.join(request["folder"], RESULT)
    if in_time and os.path.exists(path):
        with open(path) as stored:
            result = json.load(stored)
    result["logs"] = sorted(glob.glob(os.path.join(request["folder"], "dedicated_log_torch_trace_*.log")))
    return result


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    replies.write(json.dumps({"torch": torch.__version__, "places": [sys.prefix, sys.base_prefix]}) + "\n")
    replies.flush()
    for line in sys.stdin:
        replies.write(json.dumps(reply(json.loads(line))) + "\n")
        replies.flush()


main()
