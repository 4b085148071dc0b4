"""outcomes.json, and what is made of it: OUTCOMES.md and the table that tlparse reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .checks import Outcome, is_good, holds
from .programs import LAB, Program, version_key

STORED = LAB / "outcomes.json"
PAGE = LAB / "OUTCOMES.md"
TRIED = LAB.parent / "src" / "analysis" / "lab.json"
COLUMNS = ["2.6", "2.8", "2.10", "2.15"]
Outcomes = dict[str, dict[str, dict[str, Outcome]]]


def load() -> Outcomes:
    """What was recorded: kind, FIX, version of torch."""
    return json.loads(STORED.read_text()) if STORED.exists() else {}


def store(outcomes: Outcomes, programs: list[Program]) -> None:
    """Writes outcomes.json and both files that are made of it."""
    known = {program.kind: {"0", *map(str, program.fixes)} for program in programs}
    outcomes = {kind: _of(fixes, known[kind]) for kind, fixes in outcomes.items() if kind in known}
    STORED.write_text(json.dumps(outcomes, indent=0, sort_keys=True) + "\n")
    PAGE.write_text(page(outcomes, programs))
    TRIED.write_text(json.dumps(tried(outcomes, programs), indent=2, sort_keys=True) + "\n")


def _of(fixes: dict[str, Any], known: set[str]) -> dict[str, Any]:
    return {fix: by_version for fix, by_version in fixes.items() if fix in known}


def tried(outcomes: Outcomes, programs: list[Program]) -> dict[str, str]:
    """Per kind the versions of torch under which it came out well, the newest first; `kind.fix` is one advice of it, with what
    it came to after a semicolon."""
    found: dict[str, str] = {}
    for program in programs:
        of_kind = outcomes.get(program.kind, {})
        recorded = {version for by_version in of_kind.values() for version in by_version}
        versions = sorted(recorded, key=version_key, reverse=True)
        well = [version for version in versions if is_good(program, version, of_kind)]
        if well:
            found[program.kind] = ", ".join(well)
        for fix, statement in program.promises.items():
            kept = [version for version in versions if holds(program, version, of_kind, {fix: statement})]
            if kept:
                words = _became(*(of_kind[str(one)].get(kept[0]) for one in (0, fix)))
                found[f"{program.kind}.{fix}"] = "; ".join(filter(None, [", ".join(kept), words]))
    return found


def _became(before: Outcome | None, after: Outcome | None) -> str:
    """What changed from one to the other, in words: `2 compiles became 1, 1 graph break went`."""
    if before is None or after is None:
        return ""
    words = ["the error went"] if before["error"] and not after["error"] else []
    for count, one in (("compiles", "compile"), ("breaks", "graph break")):
        old, new = before[count], after[count]
        if old > new and not before["error"]:
            words.append(f"{old} {one}{'s' if old > 1 else ''} {f'became {new}' if new else 'went'}")
    return ", ".join(words)


INTRODUCTION = """# What came out

Made by `lab/run.py` of `outcomes.json`; do not edit. A cell has what FIX=0 and the FIX came to: compiles, then graph
breaks where there are some, then what else the program counts. `-` was not run under that torch. **advised** is what a
report may advise, *never* what it must not.
"""


def page(outcomes: Outcomes, programs: list[Program]) -> str:
    """OUTCOMES.md."""
    parts = [INTRODUCTION, _kinds(outcomes, programs)]
    for program in programs:
        of_kind = outcomes.get(program.kind, {})
        parts.append(f"## {program.kind}\n\n{program.cause}\n")
        columns = _columns(program, of_kind)
        parts.append(f"| FIX | | torch {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
        for fix, words in program.fixes.items():
            if fix == 0:
                continue
            cells = [_cell(program, fix, of_kind, version) for version in columns]
            parts.append(f"| {fix} {_escaped(words)} | {_role(program, fix)} | {' | '.join(cells)} |")
        parts.append("")
    return "\n".join(parts)


def _columns(program: Program, of_kind: dict[str, dict[str, Outcome]]) -> list[str]:
    """The versions of torch that a program's table compares."""
    if program.device is None:
        return COLUMNS
    return sorted(of_kind.get("0", {}), key=version_key) or [program.device]


def _kinds(outcomes: Outcomes, programs: list[Program]) -> str:
    """The table of kinds at its top."""
    well = tried(outcomes, programs)
    rows = ["## Kinds", "", "| kind | cause | advised, by FIX | came out well under |", "|---|---|---|---|"]
    for program in programs:
        advised = "; ".join(f"{fix}: {program.fixes[fix]}" for fix in program.promises) or "nothing: it is expected"
        link = f"[{program.kind}](#{program.kind})"
        rows.append(f"| {link} | {_escaped(program.cause)} | {_escaped(advised)} | {well.get(program.kind, '-')} |")
    return "\n".join(rows) + "\n"


def _role(program: Program, fix: int) -> str:
    if fix in program.promises:
        return "**advised**"
    return "*never*" if fix in program.never else ""


def _cell(program: Program, fix: int, of_kind: dict[str, dict[str, Outcome]], version: str) -> str:
    before, after = (of_kind.get(str(one), {}).get(version) for one in (0, fix))
    if before is None or after is None:
        return "-"
    if after["error"]:
        return _escaped(after["error"].split(":")[0])
    words = [f"{before['compiles']} -> {after['compiles']}"]
    if before["error"]:
        words.insert(0, before["error"].split(":")[0])
    if before["breaks"] or after["breaks"]:
        words.append(f"breaks {before['breaks']} -> {after['breaks']}")
    if not after["graphs"]:
        words.append("0 graphs")
    measured = {"first_s", "step_ms"} & before.keys()
    for count in sorted((program.counts() - {"compiles", "breaks", "graphs"}) | measured):
        words.append(f"{count} {before.get(count)} -> {after.get(count)}")
    if not after["equal"]:
        words.append("other results")
    return ", ".join(words)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
