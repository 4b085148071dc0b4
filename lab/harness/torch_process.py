"""The process that has torch imported, and runs programs."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import log
from .programs import LAB, Program

WORKER = Path(__file__).with_name("worker.py")
# In a process of its own: where CUDA was begun, a process cannot be forked any more.
ASK_FOR_DEVICE = "import torch; print(torch.cuda.get_device_name() if torch.cuda.is_available() else '')"


def _device(python: str) -> str | None:
    """The first GPU, by its model alone: `NVIDIA H100 80GB HBM3` is `H100`."""
    name = subprocess.run([python, "-c", ASK_FOR_DEVICE], stdout=subprocess.PIPE, text=True, check=True).stdout
    words = [word for word in name.split() if word not in ("NVIDIA", "AMD", "Instinct", "GeForce")]
    return words[0] if words else None


@dataclass
class Run:
    """One run of a program."""

    folder: tempfile.TemporaryDirectory[str]
    counts: dict[str, int]
    error: str | None
    equal: bool
    logs: list[Path] = field(default_factory=list)

    def log(self) -> Path | None:
        """The log of the program itself: processes that it starts write little."""
        return self.logs[0] if self.logs else None

    def printed(self) -> str:
        """What the program printed, and the traceback of its exception."""
        return (Path(self.folder.name) / "printed.txt").read_text(errors="replace")

    def outcome(self, counts: set[str]) -> dict[str, Any]:
        """What outcomes.json keeps."""
        kept = {"compiles", "graphs", "breaks", "first_s", "step_ms"} | counts
        measured = {key: value for key, value in self.counts.items() if key in kept}
        return {**measured, "error": self.error, "equal": self.equal}


class TorchProcess:
    """A Python with torch."""

    def __init__(self, python: str, timeout: float) -> None:
        self.timeout = timeout
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([python, str(WORKER)], **pipes, text=True, cwd=LAB)
        about = self._read()
        self.full_version: str = about["torch"]
        self.version = ".".join(re.split(r"[.+]", self.full_version)[:2])
        self.device = _device(python)
        self.places: list[str] = about["places"]

    def version_for(self, program: Program) -> str | None:
        """The version under which outcomes of a program are kept; None where there is no device that it needs."""
        if program.device is None:
            return self.version
        return f"{self.version} on {self.device}" if self.device else None

    def run(
        self,
        program: Program,
        fix: int,
        *,
        expected: Run | None = None,
        marks: dict[str, list[list[Any]]] | None = None,
        sources: str = "",
    ) -> Run:
        """Runs a program; without results to expect, in eager mode."""
        folder = tempfile.TemporaryDirectory(prefix="lab-")
        request = {
            "program": str(program.path),
            "fix": fix,
            "eager": expected is None,
            "folder": folder.name,
            "expected": expected.folder.name if expected else None,
            "marks": marks or {},
            "sources": sources,
            "dtrace": program.dtrace,
            "timeout": self.timeout,
        }
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        reply = self._read()
        logs = sorted(map(Path, reply["logs"]), key=lambda path: path.stat().st_size, reverse=True)
        counts = log.counts(logs[0]) if logs else {"compiles": 0, "breaks": 0}
        # Dynamo counts breaks that the log has no record of, and the log has some that it does not count.
        counts |= {"breaks": max(counts["breaks"], reply["breaks"]), "graphs": reply["graphs"]}
        counts |= reply.get("measured", {})
        return Run(folder, counts, reply["error"], reply.get("equal", True), logs)

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the Python with torch ended; run it by hand to see why")
        return json.loads(line)

    def close(self) -> None:
        """Ends it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
