"""A report, and what can be asked of it."""

from __future__ import annotations

import html
import json
import os
import re
import tempfile
import webbrowser
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from . import facts
from ._lists import FactList
from ._program import run

PathLike = Union[str, "os.PathLike[str]"]

#: Findings that a notebook shows; the report has all.
SHOWN = 12

# Folders of reports that nobody named, kept as long as the process runs.
_KEPT: List["tempfile.TemporaryDirectory[str]"] = []


class Report:
    """What torch.compile did: the facts of report.json, of one log or of a job."""

    def __init__(self, folder: PathLike) -> None:
        """Reads a finished report."""
        #: The folder of the report.
        self.folder = Path(folder)
        #: All of report.json, as it is.
        self.json: Dict[str, Any] = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        kind = self.json.get("kind")
        #: The facts of a job of several ranks; None for a single log.
        self.job: Optional[facts.JobReport] = facts.JobReport.of(self.json) if kind == "job" else None
        #: The facts of a single log; None for a job.
        self.log: Optional[facts.LogReport] = facts.LogReport.of(self.json) if kind == "log" else None

    def _list(self, name: str) -> FactList[Any]:
        if self.log is not None:
            return FactList(getattr(self.log, name))
        if name == "findings" and self.job is not None:
            return FactList(self.job.findings)
        return FactList(item for rank in self.ranks.values() for item in rank._list(name))

    @property
    def ranks(self) -> "Dict[int, Report]":
        """The report of each rank of a job, by its number; empty for a single log."""
        if self.job is None:
            return {}
        folders = ((rank.rank, self.folder / rank.dir) for rank in self.job.ranks)
        return {number: Report(folder) for number, folder in folders if (folder / "report.json").exists()}

    @property
    def findings(self) -> "FactList[facts.Finding]":
        """What went wrong or took long, the most important first."""
        return self._list("findings")

    @property
    def compiles(self) -> "FactList[facts.Compile]":
        """Every compilation; of a job those of all ranks."""
        return self._list("compiles")

    @property
    def graph_breaks(self) -> "FactList[facts.GraphBreak]":
        """Distinct graph breaks."""
        return self._list("graph_breaks")

    @property
    def recompiles(self) -> "FactList[facts.Recompile]":
        """Recompilations with their reasons."""
        return self._list("recompiles")

    @property
    def failures(self) -> "FactList[facts.Failure]":
        """Compilations that failed."""
        return self._list("failures")

    @property
    def caches(self) -> "FactList[facts.CacheLookup]":
        """Lookups in torch's caches."""
        return self._list("caches")

    @property
    def performance(self) -> Optional[facts.Performance]:
        """Measured kernels, if the report was given a trace of torch.profiler."""
        return self.log.performance if self.log is not None else None

    @property
    def seconds(self) -> Optional[float]:
        """Compile time; of a job None."""
        return self.log.compile_time.total_s if self.log is not None else None

    @property
    def page(self) -> Path:
        """The page to begin with."""
        return self.folder / "index.html"

    def show(self) -> None:
        """Opens the report in a browser."""
        webbrowser.open(self.page.resolve().as_uri())

    def verdict(self) -> str:
        """What happened, in one sentence."""
        if self.job is not None:
            return f"{len(self.job.ranks)} ranks, {len(self.findings)} findings."
        seconds = "unknown time" if self.seconds is None else f"{self.seconds:.2f} s"
        counts = [
            (sum(one.id is not None for one in self.compiles), "compilation"),
            (len(self.graph_breaks), "distinct graph break"),
            (len(self.recompiles), "recompilation"),
            (len(self.failures), "failure"),
        ]
        words = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts)
        return f"{words} in {seconds}."

    def __repr__(self) -> str:
        lines = [f"<tlparse report {self.folder}: {self.verdict()}>"]
        lines += [f"  {one.severity}: {one.title}" for one in self.findings[:SHOWN]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        items = []
        for one in self.findings[:SHOWN]:
            place = f" <code>{html.escape(one.file)}:{one.line}</code>" if one.file else ""
            hint = f"<br><small>{_sentence(one.hint)}</small>" if one.hint else ""
            items.append(f"<li><b>{html.escape(one.severity)}</b> {_sentence(one.title)}{place}{hint}</li>")
        more = len(self.findings) - len(items)
        rest = f"<p>{more} more in the report.</p>" if more > 0 else ""
        return f"<p><b>{html.escape(self.verdict())}</b></p><ol>{''.join(items)}</ol>{rest}"


def _sentence(text: str) -> str:
    """A sentence as HTML; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def parse(
    path: PathLike,
    *,
    out: Optional[PathLike] = None,
    overwrite: bool = False,
    profile: Optional[PathLike] = None,
    all_ranks: bool = False,
    latest: bool = False,
    redact: bool = False,
    options: Optional[List[str]] = None,
) -> Report:
    """Reads a log, a folder of logs, or a finished report.

    `out` is the folder of the report, by default one that lasts as long as this process. `options` are further options
    of the command line, such as `["--plain-text"]`.
    """
    if (Path(path) / "report.json").is_file():
        return Report(path)
    if out is None:
        kept = tempfile.TemporaryDirectory(prefix="tlparse-report-")
        _KEPT.append(kept)
        out = Path(kept.name) / "report"
    arguments = [str(path), "--no-browser", "-o", str(out)]
    flags = {"--overwrite": overwrite, "--all-ranks-html": all_ranks, "--latest": latest, "--redact": redact}
    arguments += [flag for flag, is_set in flags.items() if is_set]
    if profile is not None:
        arguments += ["--profile", str(profile)]
    run([*arguments, *(options or [])])
    return Report(out)


def diff(a: Union[PathLike, Report], b: Union[PathLike, Report], *, options: Optional[List[str]] = None) -> Dict[str, Any]:
    """Compares two runs, as diff.schema.json describes it."""
    paths = [str(side.folder if isinstance(side, Report) else side) for side in (a, b)]
    return json.loads(run(["diff", *paths, "--json", *(options or [])]).stdout)


def check(run_or_path: Union[PathLike, Report], budget: Union[PathLike, Dict[str, int]]) -> List[Dict[str, Any]]:
    """What exceeds a budget: a file, or a dict such as `{"graph_breaks": 0, "recompiles": 2}`. Empty if all hold."""
    path = str(run_or_path.folder if isinstance(run_or_path, Report) else run_or_path)
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(budget, dict):
            file = Path(folder) / "budget.toml"
            file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in budget.items()))
        else:
            file = Path(budget)
        # 3: a budget is exceeded.
        done = run(["check", path, "--budget", str(file), "--format", "json"], allowed=(0, 3))
    return [excess for one in json.loads(done.stdout)["checks"] for excess in one["excesses"]]
