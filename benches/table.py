"""Prints the table of benches/compare.sh: medians of what it measured, and their ratios, as Markdown.

usage: table.py FOLDER OURS UPSTREAM RUNS SHARE

Logs have one SHARE-th of the size that their rows name.
"""

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# What each row is, and what it is to reach: how many times better than upstream in wall and CPU time (by default, and
# with --plain-text), and the most megabytes of memory. `double` is held against `mixed`, not against upstream.
ROWS = {
    "mixed": ("300 MB mixed", 10, 3, 80),
    "code": ("300 MB, most of it output code", 12, 3, 80),
    "chromium": ("300 MB, most of it chromium events", 6, 5, 80),
    "compiles": ("10,000 small compiles, 300 MB", 10, 4, 100),
    "ranks": ("64 ranks of 10 MB", 10, 3, 100),
    "small": ("a stored log of 370 KB", 1, 1, 25),
    "double": ("600 MB mixed", None, None, None),
}
MODES = {"default": "default", "plain": "`--plain-text`"}


@dataclass
class Measured:
    """One tool on one log."""

    wall: float
    cpu: float
    memory: float
    files: int
    output: float


def read(folder, row, mode, who):
    """The medians of one measurement; None where it was not made."""
    base = folder / f"{row}.{mode}.{who}"
    times = base.with_name(base.name + ".json")
    if not times.exists():
        return None
    result = json.loads(times.read_text())["results"][0]
    files, output = base.with_name(base.name + ".output").read_text().split()
    memory = int(base.with_name(base.name + ".memory").read_text().split()[-1])
    # hyperfine gives means of user and system time; runs differ by a few per cent.
    cpu = result["user"] + result["system"]
    return Measured(result["median"], cpu, memory / 1024, int(files), int(output) / 1e6)


def verdict(value, limit, at_least):
    """The value, and whether it holds its limit."""
    if limit is None:
        return f"{value:.1f}"
    holds = value >= limit if at_least else value <= limit
    return f"{value:.1f} ({'holds' if holds else 'wanted'} {limit})"


def rows(folder):
    yield "| log | mode | upstream wall, CPU | ours wall, CPU | floor wall, CPU | times faster in wall | in CPU | upstream memory | our memory | files, MB |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for row, (title, default, plain, memory) in ROWS.items():
        for mode, label in MODES.items():
            ours, theirs, floor = (read(folder, row, mode, who) for who in ("ours", "upstream", "floor"))
            if ours is None or theirs is None:
                continue
            limit = default if mode == "default" else plain
            yield " | ".join(
                [
                    f"| {title}",
                    label,
                    f"{theirs.wall:.3f} s, {theirs.cpu:.3f} s",
                    f"{ours.wall:.3f} s, {ours.cpu:.3f} s",
                    f"{floor.wall:.3f} s, {floor.cpu:.3f} s" if floor else "",
                    verdict(theirs.wall / ours.wall, limit, True),
                    verdict(theirs.cpu / ours.cpu, limit, True),
                    f"{theirs.memory:.0f} MB",
                    verdict(ours.memory, memory, False) + " MB",
                    f"{ours.files}, {ours.output:.0f} |",
                ]
            )


def growth(folder):
    """How 600 MB compare with 300 MB."""
    for mode, label in MODES.items():
        one, two = (read(folder, row, mode, "ours") for row in ("mixed", "double"))
        if one and two:
            wall, cpu, memory = two.wall / one.wall, two.cpu / one.cpu, two.memory / one.memory
            yield (
                f"600 MB against 300 MB, {label}: wall {verdict(wall, 2.1, False)}, CPU {verdict(cpu, 2.1, False)}, "
                f"memory {verdict(memory, 1.2, False)}."
            )


def floor(folder):
    """How the default run compares with what cannot be avoided, and how many cores it keeps busy."""
    least, ours = (read(folder, "mixed", "default", who) for who in ("floor", "ours"))
    if least and ours:
        yield (
            f"The floor is reading the log, hashing its payloads and writing as many bytes into as many files as our report "
            f"has, with all cores, one after the other; a run that overlaps them can be faster. The default run on the mixed log takes "
            f"{verdict(ours.wall / least.wall, 2, False)} times as long, {ours.cpu / least.cpu:.1f} times the CPU time, and "
            f"keeps {ours.cpu / ours.wall:.1f} cores busy."
        )


def beyond(folder):
    """What the pages cost that only this tool writes: highlighting aside, `--plain-text` differs from upstream in these."""
    ours, theirs = (read(folder, "mixed", "plain", who) for who in ("ours", "upstream"))
    if ours and theirs:
        yield (
            f"With `--plain-text` the mixed log becomes {ours.files:,} files of {ours.output:.0f} MB, upstream's report "
            f"{theirs.files:,} of {theirs.output:.0f} MB: search, report.json, graphs and the pages of compiles are among ours."
        )


def version(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def main():
    folder, ours, upstream, runs, share = Path(sys.argv[1]), *sys.argv[2:6]
    print("# Measured beside upstream\n")
    print("Written by `benches/compare.sh`; `benches/README.md` says how to read it.\n")
    print(f"{processor()}, {os.cpu_count()} cores; {platform.system()} {platform.release()}; logs and reports in memory.")
    print(f"Ours: {version(ours)}. Upstream: {version(upstream)}. Medians of {runs} runs, of two where one takes over a minute, of 50 for the short log.\n")
    if share != "1":
        print(f"For a quick look, logs have a {share}th of the size that their rows name: what a run does once counts for more.\n")
    for line in rows(folder):
        print(line)
    for line in [*growth(folder), *floor(folder), *beyond(folder)]:
        print(f"\n{line}")


if __name__ == "__main__":
    main()
