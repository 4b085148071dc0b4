"""Applies the advice that a report gives to the program that it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .programs import Program
from .reports import Tlparse
from .torch_process import Run, TorchProcess

MARK = re.compile(r"torch\._dynamo\.maybe_mark_dynamic\((.+), (\d+)\)")
MARKS = re.compile(r"for tensor, dim in \[(.+)\]:")
PAIR = re.compile(r"\(([^()]+), (\d+)\)")
SOURCES = re.compile(r'TORCH_COMPILE_DYNAMIC_SOURCES="(.+)"')
PROMISE = re.compile(r"(\d+) compiles? becomes? (\d+)")
FUNCTION = re.compile(r"`([\w.]+)` was compiled")


@dataclass
class Attempt:
    """One way to follow a report: all marks that it advises, or the setting that does without them."""

    name: str
    marks: dict[str, list[list[Any]]] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)
    saved: int = 0

    def is_empty(self) -> bool:
        return not self.marks and not self.sources


def try_advice(program: Program, torch: TorchProcess, tlparse: Tlparse | None) -> bool:
    """Whether the marks and the settings that the report advises keep what it promises, without an error."""
    if tlparse is None:
        raise SystemExit("--apply needs a tlparse")
    expected = torch.run(program, 0)
    before = torch.run(program, 0, expected=expected)
    log = before.log()
    attempts = [one for one in attempts_of(tlparse.findings(log)) if not one.is_empty()] if log else []
    if not attempts:
        print(f"{program.kind}: nothing to apply ({before.counts['compiles']} compiles)", flush=True)
    return all([keeps_promise(program, torch, expected, before, one) for one in attempts])


def keeps_promise(program: Program, torch: TorchProcess, expected: Run, before: Run, attempt: Attempt) -> bool:
    """Follows the advice, and compares."""
    after = torch.run(program, 0, expected=expected, marks=attempt.marks, sources=",".join(attempt.sources))
    was, most = before.counts["compiles"], before.counts["compiles"] - attempt.saved
    kept = after.error is None and after.equal and after.counts["compiles"] <= most
    words = f"{was} -> {after.counts['compiles']}, promised {most}, error {after.error}, equal results {after.equal}"
    print(f"{program.kind} {attempt.name}: {'kept' if kept else 'NOT KEPT'}: {words}", flush=True)
    return kept


def attempts_of(findings: list[dict[str, Any]]) -> list[Attempt]:
    """What the findings of a report advise: lines to add, and a setting."""
    lines, setting = Attempt("marks"), Attempt("TORCH_COMPILE_DYNAMIC_SOURCES")
    for finding in findings:
        function = FUNCTION.search(finding.get("title", ""))
        for advice in finding.get("advice", []):
            code, promise = advice.get("code") or "", PROMISE.search(advice.get("promise") or "")
            saved = int(promise[1]) - int(promise[2]) if promise else 0
            if marks := marks_in(code):
                lines.marks.setdefault(function[1].split(".")[-1] if function else "forward", []).extend(marks)
                lines.saved += saved
            elif sources := SOURCES.search(code):
                setting.sources.append(sources[1])
                setting.saved += saved
    return [lines, setting]


def marks_in(code: str) -> list[list[Any]]:
    """The expressions and dimensions that lines of code mark."""
    several = MARKS.search(code)
    found = PAIR.findall(several[1]) if several else MARK.findall(code)
    return [[expression, int(dimension)] for expression, dimension in found]
