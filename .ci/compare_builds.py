#!/usr/bin/env python3
"""Compares the reports of two builds of tlparse over a folder of logs, file by file.

    .ci/compare_builds.py BEFORE AFTER LOGS [--wording] [--only REGEX] [--keep DIR]

BEFORE and AFTER are programs. LOGS is a folder with one folder per scenario, as tests/inputs is. Each scenario is reported
as a single log, with --plain-text, --inductor-provenance and (where its name holds "export") --export, as a job when it has
logs of several ranks, with its profiler trace when it has one, redacted, and compared with its neighbor by `diff`.

Without --wording, every file must have the same bytes. With it, sentences may differ: of a page only its elements and their
attributes are compared, and of report.json everything but sentences and the keys that schema 2 gained.

The reports of BEFORE are kept in DIR (default: a folder named after the hash of BEFORE and LOGS in the temporary folder), so
that a second comparison with it takes half of the time. Exit code: 0 when nothing differs, else 1.
"""

import argparse
import concurrent.futures
import hashlib
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Sentences of report.json, and keys that may be added to it.
SENTENCES = {"title", "detail", "hint", "why", "why_not"}
ADDED = {"change", "advice", "caused_by", "members"}
# Attributes that hold sentences.
SPOKEN = {"title", "aria-label", "alt", "content", "placeholder"}


def cases(logs):
    """Name and arguments of each run; OUT stands for the output folder."""
    folders = sorted(path for path in pathlib.Path(logs).iterdir() if path.is_dir())
    before = None
    for folder in folders:
        files = sorted(path for path in folder.rglob("*") if re.search(r"\.log(\.zst|\.gz)?$", path.name))
        traces = sorted(path for path in folder.rglob("*") if re.search(r"\.json(\.zst|\.gz)?$", path.name))
        if not files:
            continue
        name = folder.name
        out = ["-o", "OUT", "--no-browser"]
        yield name, [*out, str(files[0])]
        yield f"{name}.plain", [*out, "-p", str(files[0])]
        yield f"{name}.redact", [*out, "--redact", str(files[0])]
        if "provenance" in name:
            yield f"{name}.provenance", [*out, "-i", str(files[0])]
        if "export" in name:
            yield f"{name}.export", [*out, "-e", str(files[0])]
        if any("rank_" in path.name for path in files) and len(files) > 1:
            yield f"{name}.job", [*out, "--all-ranks-html", str(folder)]
            yield f"{name}.job.redact", [*out, "--redact", "--all-ranks-html", str(folder)]
        for trace in traces[:1]:
            yield f"{name}.trace", [*out, str(files[0]), "--profile", str(trace)]
        if before:
            yield f"{name}.diff", ["diff", before, str(files[0]), *out]
        before = str(files[0])


def run(program, arguments, out):
    """Runs one case; its terminal lines become a file of its report."""
    if out.exists():
        return
    half = out.with_name(out.name + ".half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    arguments = [str(half / "report") if word == "OUT" else word for word in arguments]
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    said = (done.stdout + done.stderr).replace(str(half), "OUT")
    (half / "terminal.txt").write_text(f"exit {done.returncode}\n{said}")
    half.rename(out)


def files_of(folder):
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}


class Elements(html.parser.HTMLParser):
    """The elements of a page with their attributes, without its sentences."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, [(key, value) for key, value in attributes if key not in SPOKEN]))

    def handle_endtag(self, tag):
        self.found.append(tag)


def without_sentences(value):
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if key not in ADDED}
        return {key: None if key in SENTENCES else without_sentences(item) for key, item in kept.items()}
    if isinstance(value, list):
        return [without_sentences(item) for item in value]
    return value


def skeleton(name, data):
    """What must be equal with --wording; None where only that the file exists counts."""
    if name.endswith(".html"):
        elements = Elements()
        elements.feed(data.decode(errors="replace"))
        return elements.found
    if name.endswith("report.json"):
        return without_sentences(json.loads(data))
    if name.endswith((".md", "terminal.txt")):
        return None
    return data


def differing(before, after, wording):
    """Lines that say how two folders differ."""
    one, other = files_of(before), files_of(after)
    for name in sorted(one.keys() ^ other.keys()):
        yield f"{name}: only in {'BEFORE' if name in one else 'AFTER'}"
    for name in sorted(one.keys() & other.keys()):
        left, right = one[name].read_bytes(), other[name].read_bytes()
        if left == right or (wording and skeleton(name, left) == skeleton(name, right)):
            continue
        at = next((at for at, pair in enumerate(zip(left, right)) if pair[0] != pair[1]), min(len(left), len(right)))
        around = slice(max(0, at - 40), at + 80)
        yield f"{name} at byte {at}:\n      {left[around]!r}\n      {right[around]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("logs")
    parser.add_argument("--wording", action="store_true", help="sentences may differ")
    parser.add_argument("--only", default="", help="only cases whose name this regular expression finds")
    parser.add_argument("--keep", help="where the reports of BEFORE are kept")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    logs = str(pathlib.Path(options.logs).resolve()).encode()
    digest = hashlib.md5(pathlib.Path(options.before).read_bytes() + logs).hexdigest()[:12]
    kept = pathlib.Path(options.keep or pathlib.Path(tempfile.gettempdir()) / f"reports-{digest}")
    chosen = [case for case in cases(options.logs) if re.search(options.only, case[0])]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:

        def compare(case):
            name, arguments = case
            after = pathlib.Path(scratch) / name
            run(options.before, arguments, kept / name)
            run(options.after, arguments, after)
            found = list(differing(kept / name, after, options.wording))
            shutil.rmtree(after)
            return name, found

        with concurrent.futures.ThreadPoolExecutor(options.threads) as pool:
            for name, found in pool.map(compare, chosen):
                failed += bool(found)
                for line in found[:5]:
                    print(f"{name}: {line}")
                if len(found) > 5:
                    print(f"{name}: and {len(found) - 5} more files")
    print(f"{len(chosen)} reports compared, {failed} differ")
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
