"""Compares the files of two folders: compare_files.py UPSTREAM OURS.

Pages are each library's own. JSON has the same values; upstream sorts keys. docs/upstream.md explains that and the names
below.
"""

import json
import sys
from pathlib import Path

# What differs on purpose, by name.
OWN = {"raw.jsonl", "compile_directory.json", "chromium_events.json"}


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def are_equal(one, other):
    texts = one.read_bytes(), other.read_bytes()
    if one.suffix != ".json" or texts[0] == texts[1]:
        return texts[0] == texts[1]
    try:
        return json.loads(texts[0]) == json.loads(texts[1])
    except ValueError:
        return False


def main():
    upstream, ours = map(Path, sys.argv[1:])
    theirs = files(upstream)
    missing = sorted(theirs - files(ours))
    comparable = [name for name in sorted(theirs) if not name.endswith(".html") and Path(name).name not in OWN]
    differing = [name for name in comparable if name not in missing and not are_equal(upstream / name, ours / name)]
    print(f"{upstream.name}: {len(theirs)} files, {len(comparable)} compared")
    for what, names in (("missing", missing), ("different", differing)):
        for name in names:
            print(f"  {what}: {name}")
    sys.exit(bool(missing or differing))


main()
