"""Keeps logs as inputs of tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from .programs import LAB, Program
from .torch_process import Run

NEUTRALIZE = LAB.parent / "tests" / "inputs" / "scripts" / "neutralize.py"


def keep_log(folder: Path, program: Program, run: Run, places: list[str]) -> None:
    """Stores the log of a run as <kind>.log.zst, without the paths of this machine; without zstd as <kind>.log."""
    log = run.log()
    if log is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{program.kind}.log"
    names = {**dict.fromkeys(places, "/venv"), str(LAB): "/app", run.folder.name: "/tmp/lab"}
    pairs = [f"{place}={name}" for place, name in names.items()]
    subprocess.run([sys.executable, str(NEUTRALIZE), str(log), str(kept), *pairs], check=True)
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-19", "-q", "-f", "--rm", str(kept)], check=True)
