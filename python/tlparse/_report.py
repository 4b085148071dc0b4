"""A report, and what can be asked of it."""

from __future__ import annotations

import json
import os
import re
import tempfile
import webbrowser
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from . import facts
from ._files import ReportFolder
from ._lists import FactList
from ._program import TlparseError, run
from ._text import as_html, one_line

PathLike = Union[str, "os.PathLike[str]"]

#: Findings that a notebook shows; the report has all.
SHOWN = 12

#: The file with the facts of a report, and how many bytes are read of it: as many as the program reads.
FILE = "report.json"
LARGEST = 1 << 30

#: The page to begin with.
FIRST_PAGE = "index.html"

# Folders of reports that nobody named, kept as long as the process runs.
_KEPT: List["tempfile.TemporaryDirectory[str]"] = []


class Report:
    """What torch.compile did: the facts of report.json, of one log or of a job."""

    def __init__(self, folder: Union[PathLike, ReportFolder]) -> None:
        """Reads a finished report. TlparseError if its report.json is not as tlparse writes it, a link, or too large."""
        self._files = folder if isinstance(folder, ReportFolder) else ReportFolder(folder)
        #: The folder of the report.
        self.folder = self._files.path
        content = self._files.read(FILE, LARGEST)
        try:
            #: All of report.json, as it is.
            self.json: Dict[str, Any] = json.loads(content.decode("utf-8"))
            kind = self.json.get("kind") if isinstance(self.json, dict) else None
            #: The facts of a job of several ranks; None for a single log.
            self.job: Optional[facts.JobReport] = facts.JobReport.of(self.json) if kind == "job" else None
            #: The facts of a single log; None for a job.
            self.log: Optional[facts.LogReport] = facts.LogReport.of(self.json) if kind == "log" else None
        except (ValueError, RecursionError) as error:
            raise self._wrong(f"is not as tlparse writes it: {error}") from error

    def _wrong(self, why: str) -> TlparseError:
        return TlparseError(one_line(f"{self.folder / FILE} {why}"))

    def _list(self, name: str) -> FactList[Any]:
        if self.log is not None:
            return FactList(getattr(self.log, name))
        if name == "findings" and self.job is not None:
            return FactList(self.job.findings)
        return FactList(item for rank in self.ranks.values() for item in rank._list(name))

    @property
    def ranks(self) -> "Dict[int, Report]":
        """The report of each rank of a job, by its number; empty for a single log. A rank without a report is left out."""
        found: Dict[int, Report] = {}
        for rank in self.job.ranks if self.job is not None else []:
            try:
                found[rank.rank] = self._of_rank(rank)
            except FileNotFoundError:
                continue
        return found

    def _of_rank(self, rank: facts.Rank) -> "Report":
        # The folder is made from the number, never taken from report.json, which may come from anywhere.
        if type(rank.rank) is not int or rank.rank < 0:
            raise self._wrong("names a rank that is not a number")
        if rank.dir and os.path.abspath(self.folder / str(rank.dir)) == os.path.abspath(self.folder):
            raise self._wrong(f"says that the report of rank {rank.rank} is this report itself")
        report = Report(ReportFolder(self._files.root, f"rank_{rank.rank}"))
        if report.log is None:
            raise report._wrong("is not the report of a single log, as that of a rank is")
        return report

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
        return self.folder / FIRST_PAGE

    def show(self) -> None:
        """Opens the report in a browser."""
        self._files.open(FIRST_PAGE).close()
        webbrowser.open(self.page.resolve().as_uri())

    def verdict(self) -> str:
        """What happened, in one sentence."""
        if self.job is not None:
            return f"{len(self.job.ranks)} ranks, {len(self.findings)} findings."
        seconds = "unknown time" if self.seconds is None else _seconds(self.seconds)
        counts = [
            (sum(one.id is not None for one in self.compiles), "compilation"),
            (len(self.graph_breaks), "distinct graph break"),
            (len(self.recompiles), "recompilation"),
            (len(self.failures), "failure"),
        ]
        words = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts)
        return f"{words} in {seconds}."

    def __repr__(self) -> str:
        lines = [f"<tlparse report {one_line(self.folder)}: {self.verdict()}>"]
        lines += [f"  {one_line(one.severity)}: {one_line(one.title)}" for one in self.findings[:SHOWN]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        items = []
        for one in self.findings[:SHOWN]:
            place = f" <code>{as_html(one.file)}:{as_html(one.line)}</code>" if one.file else ""
            hint = f"<br><small>{_sentence(one.hint)}</small>" if one.hint else ""
            items.append(f"<li><b>{as_html(one.severity)}</b> {_sentence(one.title)}{place}{hint}</li>")
        more = len(self.findings) - len(items)
        rest = f"<p>{more} more in the report.</p>" if more > 0 else ""
        return f"<p><b>{as_html(self.verdict())}</b></p><ol>{''.join(items)}</ol>{rest}"


def _seconds(seconds: object) -> str:
    try:
        return f"{seconds:.2f} s"
    except (OverflowError, TypeError, ValueError):
        # A report may come from anywhere.
        return f"{one_line(seconds)} s"


def _sentence(text: object) -> str:
    """A sentence as HTML; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", as_html(text))


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
    if os.path.lexists(Path(path) / FILE):
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
