"""Profiles a program that compiles with torch, without a change to it: `tlparse run --profile` puts this on PYTHONPATH.

Each process that compiles records at most 5 seconds with torch.profiler, from the end of a compilation on; of several such
windows the last is kept. It is written when the program ends, into the folder TLPARSE_PROFILE_DIR names. Where the program
uses a profiler itself, this one stops. Nothing here may make the program fail.
"""

import atexit
import ctypes
import importlib.machinery
import importlib.util
import os
import sys
import threading

SECONDS = 5.0
HERE = os.path.dirname(os.path.abspath(__file__))


class Recorder:
    """Starts and stops the profiler. All of it runs in the thread that compiles, since a profiler belongs to a thread."""

    def __init__(self):
        self.folder = os.environ.get("TLPARSE_PROFILE_DIR")
        self.running = None
        self.finished = None
        self.is_ours = False
        self.is_over = not self.folder
        # Kept, since the interpreter holds only its address.
        self.pending = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self.stop_pending)

    def compile_begins(self, *_):
        """Kernels in C++ stand in a trace only if the code that is generated says so."""
        config = sys.modules.get("torch._inductor.config")
        if config is not None and not self.is_over:
            try:
                config.cpp.enable_kernel_profile = True
            except Exception:
                pass

    def compile_ends(self, *_):
        """What runs now is compiled code."""
        in_main = threading.current_thread() is threading.main_thread()
        if self.is_over or self.running is not None or not in_main:
            return
        try:
            from torch.profiler import ProfilerActivity, profile

            activities = [ProfilerActivity.CPU]
            if sys.modules["torch"].cuda.is_available():
                activities.append(ProfilerActivity.CUDA)
            self.is_ours = True
            started = profile(activities=activities, record_shapes=True)
            started.start()
            self.running = started
            timer = threading.Timer(SECONDS, self.ask_to_stop)
            timer.daemon = True
            timer.start()
        except Exception:
            self.is_over = True
        finally:
            self.is_ours = False

    def ask_to_stop(self):
        """Called in the thread of the timer; the main thread stops the profiler before its next instruction."""
        ctypes.pythonapi.Py_AddPendingCall(self.pending, None)

    def stop_pending(self, _):
        self.stop()
        return 0

    def stop(self):
        """Ends the window at hand."""
        recorded, self.running = self.running, None
        if recorded is None:
            return
        try:
            self.is_ours = True
            recorded.stop()
            self.finished = recorded
        except Exception:
            pass
        finally:
            self.is_ours = False

    def give_way(self):
        """The program begins to profile: only one profiler can run."""
        if not self.is_ours:
            self.stop()
            self.is_over = True

    def child(self):
        """A forked process has no profiler of its own, and the file is its parent's."""
        self.is_over, self.running, self.finished = True, None, None

    def write(self):
        self.stop()
        if self.finished is None:
            return
        rank = os.environ.get("RANK", "")
        of = f"rank_{rank}_{os.getpid()}" if rank.isdigit() else str(os.getpid())
        path = os.path.join(self.folder, f"profile_{of}.json.gz")
        try:
            self.finished.export_chrome_trace(path)
        except Exception as error:
            print(f"note: the profile could not be written: {error}", file=sys.stderr)


RECORDER = Recorder()


def watch_compiles(module):
    """Called once torch._dynamo.callback is imported."""
    module.callback_handler.register_start_callback(RECORDER.compile_begins)
    module.callback_handler.register_end_callback(RECORDER.compile_ends)
    os.register_at_fork(after_in_child=RECORDER.child)
    atexit.register(RECORDER.write)


def watch_profilers(module):
    """Called once torch.autograd.profiler is imported: every profiler of the program begins in one of these methods."""
    for name in ("__enter__", "_prepare_trace", "_start_trace"):
        begin = getattr(module.profile, name, None)
        if begin is not None:
            setattr(module.profile, name, giving_way(begin))


def giving_way(begin):
    def wrapped(*args, **kwargs):
        RECORDER.give_way()
        return begin(*args, **kwargs)

    return wrapped


class Watch:
    """Finds modules as usual, and calls a function once one of them is imported."""

    wanted = {
        "torch._dynamo.callback": watch_compiles,
        "torch.autograd.profiler": watch_profilers,
    }

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        then = cls.wanted.pop(name, None)
        if then is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                then(module)
            except Exception:
                RECORDER.is_over = True

        spec.loader.exec_module = exec_module
        return spec


def run_the_next_sitecustomize():
    """Python imports only the first that it finds, and this one stands before that of the environment."""
    paths = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


if not RECORDER.is_over:
    sys.meta_path.insert(0, Watch)
run_the_next_sitecustomize()
