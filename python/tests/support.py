"""What the tests share: stored logs, reports that a stranger has changed, and runs of Python with a stand-in for torch."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tlparse

HERE = Path(__file__).resolve().parent
TESTS = HERE.parents[1] / "tests"

#: The characters that must not reach a terminal.
HIDDEN = [
    chr(code)
    for codes in [
        range(0x20),
        range(0x7F, 0xA0),
        range(0x61C, 0x61D),
        range(0x200B, 0x2010),
        range(0x202A, 0x202F),
        range(0x2066, 0x206A),
        range(0xFEFF, 0xFF00),
        range(0xE0000, 0xE0080),
    ]
    for code in codes
    if chr(code) not in "\t\n"
]


def log(scenario: str) -> Path:
    """The folder of a recorded log."""
    return TESTS / "inputs" / scenario


def job(scenario: str) -> Path:
    """The folder of the logs of a job."""
    return TESTS / "jobs" / scenario


def needs(module: str) -> None:
    """Skips a test where a module is not installed."""
    if importlib.util.find_spec(module) is None:
        raise unittest.SkipTest(f"{module} is not installed")


class InAFolder(unittest.TestCase):
    """Tests that have a folder of their own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report_of(self, logs: Path, name: str = "report") -> Path:
        """A report in the folder, that the test may change."""
        return tlparse.parse(logs, out=self.folder / name).folder

    def python(self, *arguments: str, stand_in: bool = True) -> str:
        """What Python prints, in the folder."""
        places = [HERE / "stand_in"] if stand_in else []
        path = os.pathsep.join(map(str, [*places, Path(tlparse.__file__).parents[1]]))
        # Wide, so that pytest does not cut messages.
        environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "1000", "PYTHONDONTWRITEBYTECODE": "1"}
        environment["TLPARSE"] = os.path.abspath(tlparse.program())
        environment.pop("TORCH_TRACE", None)
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        return done.stdout


def change(report: Path, edit) -> None:
    """Rewrites the report.json of a report."""
    file = report / "report.json"
    facts = json.loads(file.read_text(encoding="utf-8"))
    edit(facts)
    file.write_text(json.dumps(facts), encoding="utf-8")
