"""The programs of the lab, and what each of them states.

A program is `lab/<kind>.py`. Its docstring has the cause and one line for each FIX. `PROMISES` and `NEVER`, literals at
its top, say what must come out:

    PROMISES = {2: {"compiles": [2, 1]}}                what is advised, with counts before and after
    NEVER = {1: {"error": "ConstraintViolationError"}}  what must not be advised, and what it does

Words of a statement:
    compiles, graphs, breaks, operators, lookups..   a count before and after (see log.py)
    ratio          bounds of after / before of what the program itself measured: {"step_ms": [0, 0.5]}
    error          the exception that the FIX raises
    error_before   the exception of FIX=0 that is gone
    results        "other": the results differ from those of eager mode
    since          the first version of torch that it holds under
    "2.8"          another statement, for torch 2.8 and older

`DEVICE = "cuda"` says that a program needs a GPU. What came out is then kept by version and device: `2.11 on H100`.
Such a program measures itself (`MEASURED`, see device.py).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LAB = Path(__file__).resolve().parent.parent
FIX_LINE = re.compile(r"^\s*FIX=(\d+)\s*(.*)$", re.MULTILINE)
VERSION_KEY = re.compile(r"^\d+\.\d+$")


def version_key(version: str) -> tuple[int, ...]:
    """2.8 before 2.10; the device that follows a version does not count."""
    return tuple(int(part) for part in version.split(" ")[0].split("."))


@dataclass
class Statement:
    """What a program states about one FIX."""

    words: dict[str, Any]

    def under(self, version: str) -> dict[str, Any] | None:
        """The statement for a version of torch, or None where it makes none."""
        since = self.words.get("since")
        if since and version_key(version) < version_key(since):
            return None
        others = [key for key in self.words if VERSION_KEY.match(key) and version_key(key) >= version_key(version)]
        chosen = self.words[min(others, key=version_key)] if others else self.words
        return {key: value for key, value in chosen.items() if key != "since" and not VERSION_KEY.match(key)}


@dataclass
class Program:
    """One program of the lab."""

    kind: str
    path: Path
    cause: str
    fixes: dict[int, str]
    promises: dict[int, Statement] = field(default_factory=dict)
    never: dict[int, Statement] = field(default_factory=dict)
    dtrace: bool = False
    device: str | None = None

    def statements(self) -> dict[int, Statement]:
        """All statements by FIX."""
        return {**self.promises, **self.never}

    def counts(self) -> set[str]:
        """The counts that its statements use."""
        words = [statement.words for statement in self.statements().values()]
        words += [one for each in words for one in each.values() if isinstance(one, dict)]
        return {key for each in words for key, value in each.items() if isinstance(value, list)}


def read_program(path: Path) -> Program:
    """Reads a program without running it."""
    tree = ast.parse(path.read_text())
    text = ast.get_docstring(tree) or ""
    literals = {name: value for name, value in map(_literal, tree.body) if name}
    statements = lambda name: {fix: Statement(words) for fix, words in literals.get(name, {}).items()}
    return Program(
        kind=path.stem,
        path=path,
        cause=" ".join(FIX_LINE.split(text)[0].split()),
        fixes={int(fix): words for fix, words in FIX_LINE.findall(text)},
        promises=statements("PROMISES"),
        never=statements("NEVER"),
        dtrace=literals.get("DTRACE", False),
        device=literals.get("DEVICE"),
    )


def _literal(node: ast.stmt) -> tuple[str | None, Any]:
    """The name and value of `NAME = literal`, for the names that a program may state."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        if name in ("PROMISES", "NEVER", "DTRACE", "DEVICE"):
            return name, ast.literal_eval(node.value)
    return None, None


def programs(kinds: list[str]) -> list[Program]:
    """The programs of these kinds, or all."""
    paths = sorted(path for path in LAB.glob("*.py") if path.name != "run.py")
    known = {path.stem for path in paths}
    unknown = [kind for kind in kinds if kind not in known]
    if unknown:
        raise SystemExit(f"no program for {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return [read_program(path) for path in paths if not kinds or path.stem in kinds]
