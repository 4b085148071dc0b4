"""Keeps logs as inputs of tests: DIR/before.tar.zst and DIR/after.tar.zst, with a <kind>.log per program."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from .programs import LAB, Program
from .torch_process import Run

NEUTRALIZE = LAB.parent / "tests" / "inputs" / "scripts" / "neutralize.py"


class Archive:
    """The logs before, or after, by kind. The logs of one archive have much in common: together they are small."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.logs: dict[str, bytes] = {}
        if path.exists():
            plain = subprocess.run(["zstd", "-dcq", str(path)], check=True, stdout=subprocess.PIPE).stdout
            with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
                self.logs = {one.name: tar.extractfile(one).read() for one in tar if one.isfile()}

    def add(self, program: Program, run: Run, places: list[str]) -> None:
        """Adds the log of a run without the paths of this machine."""
        log = run.log()
        if log is None:
            return
        names = {**dict.fromkeys(places, "/venv"), str(LAB): "/app", run.folder.name: "/tmp/lab"}
        pairs = [f"{place}={name}" for place, name in names.items()]
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "log"
            subprocess.run([sys.executable, str(NEUTRALIZE), str(log), str(kept), *pairs], check=True)
            self.logs[f"{program.kind}.log"] = kept.read_bytes()

    def write(self) -> None:
        """Packs it; the same logs give the same bytes."""
        kinds = {f"{path.stem}.log" for path in LAB.glob("*.py")}
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name in sorted(kinds & self.logs.keys()):
                member = tarfile.TarInfo(name)
                member.size = len(self.logs[name])
                tar.addfile(member, io.BytesIO(self.logs[name]))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        command = ["zstd", "-19", "--long=27", "-q", "-f", "-o", str(self.path)]
        subprocess.run(command, input=plain.getvalue(), check=True)
