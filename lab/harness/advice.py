"""Applies the advice that a report gives to the program that it is about."""

from __future__ import annotations

import re
from typing import Any

from .programs import Program
from .reports import Tlparse
from .torch_process import TorchProcess

MARK = re.compile(r"torch\._dynamo\.maybe_mark_dynamic\((.+), (\d+)\)")
PROMISE = re.compile(r"(\d+) compiles? becomes? (\d+)")


def try_advice(program: Program, torch: TorchProcess, tlparse: Tlparse | None) -> bool:
    """Whether the marks that the report advises keep what it promises, without an error."""
    if tlparse is None:
        raise SystemExit("--apply needs a tlparse")
    expected = torch.run(program, 0)
    before = torch.run(program, 0, expected=expected)
    log = before.log()
    if log is None:
        return True
    advised = Advised.of(tlparse.findings(log))
    if not advised.marks:
        print(f"{program.kind}: no marks advised ({before.counts['compiles']} compiles)", flush=True)
        return True
    after = torch.run(program, 0, expected=expected, marks=advised.marks)
    most = before.counts["compiles"] - advised.saved
    kept = after.error is None and after.equal and after.counts["compiles"] <= most
    words = f"{before.counts['compiles']} -> {after.counts['compiles']}, promised {most}, error {after.error}"
    print(f"{program.kind}: {'kept' if kept else 'NOT KEPT'}: {advised.marks}: {words}", flush=True)
    return kept


class Advised:
    """The marks that a report advises, and how many compiles they save as it says."""

    def __init__(self) -> None:
        self.marks: dict[str, list[list[Any]]] = {}
        self.saved = 0

    @staticmethod
    def of(findings: list[dict[str, Any]]) -> "Advised":
        """Reads the findings of a report."""
        advised = Advised()
        for finding in findings:
            for advice in finding.get("advice", []):
                advised.add(finding, advice)
        return advised

    def add(self, finding: dict[str, Any], advice: Any) -> None:
        """Adds one advice, if it is a mark."""
        marks = MARK.findall((advice.get("code") or "") if isinstance(advice, dict) else "")
        if not marks:
            return
        function = (finding.get("location") or {}).get("function") or "forward"
        of_function = self.marks.setdefault(function, [])
        of_function.extend([expression, int(dimension)] for expression, dimension in marks)
        promise = PROMISE.search(advice.get("promise") or "")
        if promise:
            self.saved += int(promise[1]) - int(promise[2])
