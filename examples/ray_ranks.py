"""Report on a distributed job with Ray: a task a rank runs tlparse, then `tlparse combine` makes the report of the job.

    pip install ray
    python ray_ranks.py TRACES OUT

TRACES is the folder that the job was given as TORCH_TRACE, OUT the folder of the report; both stand where every node of
the Ray cluster sees them. TLPARSE names the program where it is not on PATH.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import ray

TLPARSE = os.environ.get("TLPARSE", "tlparse")
LOG = re.compile(r"dedicated_log_torch_trace_rank_(\d+)_.*\.log(\.gz|\.zst)?")


@ray.remote(num_cpus=1)
def report_on_rank(log: str, out: str) -> tuple[int, str]:
    """Writes the report of one rank. Gives the exit code and what tlparse said."""
    command = [TLPARSE, log, "-o", out, "--overwrite", "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def logs_by_rank(traces: Path) -> dict[int, Path]:
    """The newest log of each rank: a job that was started again leaves several."""
    newest: dict[int, Path] = {}
    for log in sorted(traces.iterdir(), key=lambda log: (log.stat().st_mtime, log.name)):
        if match := LOG.fullmatch(log.name):
            newest[int(match[1])] = log
    return dict(sorted(newest.items()))


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    traces, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    logs = logs_by_rank(traces)
    if not logs:
        print(f"no log of a rank in {traces}", file=sys.stderr)
        return 1
    out.mkdir(parents=True, exist_ok=True)
    ray.init()
    tasks = {rank: report_on_rank.remote(str(log), str(out / f"rank_{rank}")) for rank, log in logs.items()}
    for rank, task in tasks.items():
        code, said = ray.get(task)
        if code != 0:
            # The others are not held back: combine says which ranks are missing.
            print(f"rank {rank}: tlparse ended with {code}: {said.strip()}", file=sys.stderr)
    return subprocess.run([TLPARSE, "combine", str(out), "--overwrite", "--no-browser"]).returncode


if __name__ == "__main__":
    sys.exit(main())
