#!/usr/bin/env python3
"""Writes upstream_paths.txt: the paths that upstream's program gives its files, for each log of tests/inputs.

    cargo install tlparse --version 0.4.8 --locked --root /tmp/upstream
    tests/golden/upstream_paths.py /tmp/upstream/bin/tlparse

A line per file: scenario, a space, the path in the report. Only names are recorded, not what the files hold. Of a scenario with
thousands of files, the first thousand stand for all.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

INPUTS = Path(__file__).resolve().parents[1] / "inputs"
MOST = 1000
TARGET = Path(__file__).with_name("upstream_paths.txt")


def paths(upstream: str, log: Path) -> list[str]:
    """The files of upstream's report on a log."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / log.name.removesuffix(".zst")
        if log.name.endswith(".zst"):
            subprocess.run(["zstd", "-dqf", str(log), "-o", str(plain)], check=True)
        else:
            plain.write_bytes(log.read_bytes())
        out = Path(folder) / "report"
        command = [upstream, str(plain), "-o", str(out), "--no-browser"]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return sorted(str(file.relative_to(out)) for file in out.rglob("*") if file.is_file())


def main() -> None:
    """Runs upstream over all logs."""
    lines = []
    for scenario in sorted(path for path in INPUTS.iterdir() if path.is_dir()):
        logs = sorted(path for path in scenario.iterdir() if path.name.endswith((".log", ".log.zst")))
        if logs:
            lines += [f"{scenario.name} {path}" for path in paths(sys.argv[1], logs[0])[:MOST]]
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
