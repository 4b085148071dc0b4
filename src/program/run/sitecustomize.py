"""Profiles a program that compiles with torch, without a change to it: `tlparse run --profile` puts this on PYTHONPATH.

Each process that compiles records with torch.profiler, from the end of its first compilation to 5 seconds after that of the
last, at most a minute of running; compilations in between are left out. The trace is written then, or when the program ends, into the
folder TLPARSE_PROFILE_DIR names. Where the program uses a profiler itself, this one stops. Nothing here may make the program
fail: so there is one recording and no second one, as torch crashes where a function began in one and ends in another.
"""

import atexit
import ctypes
import importlib.machinery
import importlib.util
import os
import sys
import threading
import time

SECONDS = 5.0
MOST_SECONDS = 60.0
HERE = os.path.dirname(os.path.abspath(__file__))


class Recorder:
    """Starts and stops the profiler. All of it runs in the thread that compiles, since a profiler belongs to a thread."""

    def __init__(self):
        self.folder = os.environ.get("TLPARSE_PROFILE_DIR")
        self.running = None
        self.activities = []
        # Whether it records at the moment, or is paused.
        self.records = True
        self.timer = None
        # Seconds that were recorded before the last pause, and when that ended.
        self.recorded = 0.0
        self.since = 0.0
        self.is_ours = False
        # Whether nothing is recorded any more; and whether there was a recording, of which there is one at most.
        self.is_over = not self.folder
        self.has_begun = False
        # Kept, since the interpreter holds only its address.
        self.pending = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self.stop_pending)

    def compile_begins(self, *_):
        """Kernels in C++ stand in a trace only if the code that is generated says so. What compiles is not recorded."""
        self.keep_recording(False)
        config = sys.modules.get("torch._inductor.config")
        if config is not None and not self.is_over:
            try:
                config.cpp.enable_kernel_profile = True
            except Exception:
                pass

    def compile_ends(self, *_):
        """What runs now is compiled code."""
        if threading.current_thread() is not threading.main_thread():
            return
        if self.running is not None:
            self.keep_recording(True)
            return
        if self.is_over or self.has_begun:
            return
        self.has_begun = True
        try:
            from torch.profiler import ProfilerActivity, profile

            activities = [ProfilerActivity.CPU]
            if sys.modules["torch"].cuda.is_available():
                activities.append(ProfilerActivity.CUDA)
            self.is_ours = True
            started = profile(activities=activities, record_shapes=True)
            started.start()
            self.running, self.activities = started, activities
            self.since = time.monotonic()
            self.keep_recording(True)
        except Exception:
            self.is_over = True
        finally:
            self.is_ours = False

    def keep_recording(self, records):
        """Pauses the recording while something compiles; afterwards it has its seconds anew."""
        if self.running is None or threading.current_thread() is not threading.main_thread():
            return
        try:
            if self.timer is not None:
                self.timer.cancel()
            now = time.monotonic()
            if self.records:
                self.recorded += now - self.since
            self.since = now
            if records:
                seconds = max(0.0, min(SECONDS, MOST_SECONDS - self.recorded))
                self.timer = threading.Timer(seconds, self.ask_to_stop)
                self.timer.daemon = True
                self.timer.start()
            # Without it, as in versions before 2.6, what compiles is recorded, too.
            pause = getattr(self.running, "toggle_collection_dynamic", None)
            if pause is not None and records != self.records:
                pause(records, self.activities)
            self.records = records
        except Exception:
            pass

    def ask_to_stop(self):
        """Called in the thread of the timer; the main thread stops the profiler before its next instruction."""
        ctypes.pythonapi.Py_AddPendingCall(self.pending, None)

    def stop_pending(self, _):
        self.stop()
        return 0

    def stop(self):
        """Ends the recording."""
        recorded, self.running = self.running, None
        if recorded is None:
            return
        try:
            self.is_ours = True
            recorded.stop()
            self.write(recorded)
        except Exception as error:
            print(f"note: the profile could not be written: {error}", file=sys.stderr)
        finally:
            self.is_ours = False

    def give_way(self):
        """The program begins to profile: only one profiler can run."""
        if not self.is_ours:
            self.stop()
            self.is_over = True

    def child(self):
        """A forked process has no profiler of its own, and the file is its parent's."""
        self.is_over, self.running = True, None

    def write(self, recorded):
        """At once: torch crashes if another profiler has started meanwhile."""
        rank = os.environ.get("RANK", "")
        of = f"rank_{rank}_{os.getpid()}" if rank.isdigit() else str(os.getpid())
        path = os.path.join(self.folder, f"profile_{of}.json.gz")
        # Whole or not at all.
        unfinished = os.path.join(self.folder, f".{os.path.basename(path)}")
        recorded.export_chrome_trace(unfinished)
        os.replace(unfinished, path)


RECORDER = Recorder()


def watch_compiles(module):
    """Called once torch._dynamo.callback is imported."""
    module.callback_handler.register_start_callback(RECORDER.compile_begins)
    module.callback_handler.register_end_callback(RECORDER.compile_ends)
    os.register_at_fork(after_in_child=RECORDER.child)
    atexit.register(RECORDER.stop)


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
