"""The package on logs that the project has: run with TLPARSE set to the program, from the top of the project.

    TLPARSE=target/debug/tlparse PYTHONPATH=python python3 -m unittest discover -s python/tests
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tlparse

from support import log, needs


class ReadingAReport(unittest.TestCase):
    """tlparse.parse"""

    @classmethod
    def setUpClass(cls) -> None:
        cls.report = tlparse.parse(log("03_graph_breaks"))

    def test_lists_have_the_facts_of_report_json(self) -> None:
        for name in ["findings", "compiles", "graph_breaks", "recompiles", "failures", "caches"]:
            items = getattr(self.report, name)
            self.assertEqual(len(items), len(self.report.json[name]), name)
        first, known = self.report.graph_breaks[0], self.report.json["graph_breaks"][0]
        self.assertEqual((first.reason, first.file, first.line), (known["reason"], known["file"], known["line"]))
        self.assertEqual(self.report.findings[0].advice[0].text, self.report.json["findings"][0]["advice"][0]["text"])

    def test_every_key_of_the_json_is_read(self) -> None:
        self.assertEqual(self.report.log.compile_time.to_dict(), self.report.json["compile_time"])
        self.assertEqual([one.to_dict() for one in self.report.recompiles], self.report.json["recompiles"])

    def test_a_notebook_shows_the_verdict_and_the_findings_as_text(self) -> None:
        page = self.report._repr_html_()
        self.assertIn("<code>inner_try</code> runs in eager mode", page)
        self.assertIn(self.report.verdict(), page)
        self.assertIn("<li>", page)
        self.assertIn(self.report.findings[0].title.split("`")[0].strip(), repr(self.report))

    def test_a_finished_report_is_read_as_it_is(self) -> None:
        again = tlparse.parse(self.report.folder)
        self.assertEqual(again.json, self.report.json)

    def test_lists_become_tables_where_pandas_is_installed(self) -> None:
        if importlib.util.find_spec("pandas") is None:
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                self.report.compiles.to_pandas()
            return
        table = self.report.compiles.to_pandas()
        self.assertEqual(len(table), len(self.report.compiles))
        self.assertIn("status", table.columns)


class Comparing(unittest.TestCase):
    """tlparse.diff and tlparse.check"""

    def test_two_runs_are_compared(self) -> None:
        rows = tlparse.diff(log("01_inference"), log("03_graph_breaks"))["rows"]
        self.assertTrue(any(row["topic"] == "graph_break" and row["kind"] == "new" for row in rows))

    def test_a_budget_names_what_exceeds_it_with_its_line(self) -> None:
        report = tlparse.parse(log("03_graph_breaks"))
        excesses = tlparse.check(report, {"graph_breaks": 0})
        self.assertTrue(all(one["file"] and one["line"] for one in excesses if one["kind"] == "graph_break"))
        self.assertGreater(len(excesses), 1)
        self.assertEqual(tlparse.check(log("01_inference"), {"graph_breaks": 0}), [])


class Errors(unittest.TestCase):
    """What goes wrong says what to do."""

    def test_a_missing_log_raises_what_the_program_says(self) -> None:
        with self.assertRaisesRegex(tlparse.TlparseError, "nowhere"):
            tlparse.parse("/nowhere/at/all")

    def test_the_program_is_found_by_its_variable_first(self) -> None:
        self.assertEqual(tlparse.program(), os.environ["TLPARSE"])


class TheModule(unittest.TestCase):
    """python -m tlparse"""

    def test_it_runs_the_program(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "report"
            command = [sys.executable, "-m", "tlparse", str(log("01_inference")), "--no-browser", "-o", str(out)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            self.assertIn("1 compilation", done.stdout)
            self.assertEqual(json.loads((out / "report.json").read_text())["kind"], "log")


class TheBudgetOfATest(unittest.TestCase):
    """The message of the pytest plugin."""

    def test_it_names_each_graph_break_with_its_line(self) -> None:
        needs("pytest")
        from tlparse.pytest_plugin import exceeded

        report = tlparse.parse(log("03_graph_breaks"))
        told = exceeded(report, {"graph_breaks": 0, "failures": 0})
        self.assertEqual(told[0], f"torch.compile: {len(report.graph_breaks)} graph breaks, 0 allowed")
        first = report.graph_breaks[0]
        self.assertIn(f"{first.file}:{first.line}: ", told[1])
        self.assertEqual(exceeded(report, {"graph_breaks": 99}), [])


if __name__ == "__main__":
    unittest.main()
