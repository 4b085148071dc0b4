"""The reports that tlparse writes of the logs."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .programs import LAB, Program



@dataclass
class Tlparse:
    """A built tlparse."""

    path: Path

    @staticmethod
    def find(path: Path | None) -> "Tlparse | None":
        """The one that is named, or one that was built here."""
        target = LAB.parent / "target"
        choices = [path] if path else [target / "release" / "tlparse", target / "debug" / "tlparse"]
        found = next((one for one in choices if one.exists()), None)
        if found is None:
            print("no tlparse: what reports say is not checked (build one, or name it with --tlparse)")
        return Tlparse(found) if found else None

    def findings(self, log: Path) -> list[dict[str, Any]]:
        """The findings of a log."""
        with tempfile.TemporaryDirectory(prefix="lab-report-") as folder:
            out = Path(folder) / "report"
            command = [str(self.path), str(log), "-o", str(out), "--no-browser"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return json.loads((out / "report.json").read_text())["findings"]

    def still_advised(self, program: Program, before: Path | None, after: Path | None) -> list[str]:
        """Whether the report after still gives the advice that the report before gave and that this program tried."""
        if program.kind not in self.kinds_advised(before):
            return []
        return ["the report after gives the advice again"] if program.kind in self.kinds_advised(after) else []

    def kinds_advised(self, log: Path | None) -> set[str | None]:
        """The programs that tried what the report of a log advises."""
        return {kind_of(one) for one in advice_in(self.findings(log))} if log else set()


def advice_in(findings: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All advice of a report."""
    for finding in findings:
        yield from (one for one in finding.get("advice", []) if isinstance(one, dict))
        yield from advice_in(finding.get("members", []))


def kind_of(advice: dict[str, Any]) -> str | None:
    """The kind under which an advice was tried."""
    tried = advice.get("tried")
    return tried["kind"].split(".")[0] if tried else None
