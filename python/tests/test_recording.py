"""tlparse.record and the plugin of pytest: what they record, and that they leave everything as it was."""

import re
import textwrap
import unittest

import tlparse

from support import InAFolder, log, needs

# What a recording changes while it lasts.
STATE = '''
import logging, os, sys, torch, torch._dynamo, torch._inductor.config
import torch._logging.structured as structured

def state():
    logger = logging.getLogger("torch.__trace")
    return {
        "TORCH_TRACE": os.environ.get("TORCH_TRACE"),
        "handlers": list(logger.handlers),
        "level": logger.level,
        "texts": dict(structured.INTERN_TABLE),
        "caches": torch._inductor.config.force_disable_caches,
    }
'''

# Reports what a test left changed.
CONFTEST = STATE + '''
import pytest

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    before = state()
    yield
    after = state()
    for key in before:
        if before[key] != after[key]:
            print(f"LEFT {item.name} {key}: {before[key]} -> {after[key]}", file=sys.__stdout__, flush=True)

@pytest.fixture
def broken_setup(torch_compile_report):
    raise OSError("ORIGINAL FAILURE of the setup")

@pytest.fixture
def broken_tlparse(monkeypatch):
    monkeypatch.setenv("TLPARSE", os.path.abspath("broken_tlparse"))
'''

# With the stand-in for torch: `torch.compile(LOG)` compiles with graph breaks, `torch.compile(PLAIN)` without.
TESTS = '''
import logging, os, pytest, tlparse, torch

LOG = open("breaks.log").read()
half = LOG.index("\\nV", len(LOG) // 2) + 1
PLAIN = open("plain.log").read()
budget = pytest.mark.torch_compile_budget(graph_breaks=0)

@budget
def test_both(torch_compile_report):
    torch.compile(LOG)
    assert torch_compile_report().graph_breaks

@budget
def test_both_within_the_budget(torch_compile_report):
    torch.compile(PLAIN)
    assert not torch_compile_report().graph_breaks

@budget
def test_fixture_of_a_marked_test_that_has_begun(request):
    torch.compile(LOG)
    assert request.getfixturevalue("torch_compile_report")().graph_breaks

def test_report_of_what_was_compiled_until_then(torch_compile_report):
    with pytest.raises(RuntimeError, match="compiled nothing"):
        torch_compile_report()
    torch.compile(LOG[:half])
    first = torch_compile_report()
    torch.compile(LOG[half:])
    assert len(torch_compile_report().compiles) > len(first.compiles) > 0

@budget
def test_breaks_after_the_report(torch_compile_report):
    torch.compile(LOG[:half])
    torch_compile_report()
    torch.compile(LOG[half:])

@budget
def test_marker_only():
    torch.compile(LOG)

@budget
def test_compiles_nothing():
    pass

def test_fixture_only(torch_compile_report):
    torch.compile(LOG)
    assert torch_compile_report().graph_breaks

@budget
def test_fails_itself():
    torch.compile(LOG)
    assert 1 == 2, "ORIGINAL FAILURE"

@budget
def test_fails_itself_where_tlparse_fails(broken_tlparse, torch_compile_report):
    torch.compile(LOG)
    assert 1 == 2, "ORIGINAL FAILURE"

@budget
def test_fails_itself_in_a_log_that_is_gone():
    import shutil
    shutil.rmtree(os.environ["TORCH_TRACE"])
    assert 1 == 2, "ORIGINAL FAILURE"

@budget
def test_passes_where_tlparse_fails(broken_tlparse):
    torch.compile(LOG)

@budget
def test_skips():
    torch.compile(LOG)
    pytest.skip("ORIGINAL SKIP")

@budget
def test_exits():
    raise SystemExit("ORIGINAL FAILURE")

def test_setup_fails(broken_setup):
    pass

@budget
def test_changes_all_itself():
    logger = logging.getLogger("torch.__trace")
    logger.addHandler(logging.NullHandler())
    logger.setLevel(logging.ERROR)
    os.environ["TORCH_TRACE"] = "elsewhere"

@budget
def test_monkeypatch_of_a_marked_test(monkeypatch):
    monkeypatch.setenv("TORCH_TRACE", "elsewhere")

def test_monkeypatch_around_the_fixture(monkeypatch, torch_compile_report):
    monkeypatch.setenv("TORCH_TRACE", "elsewhere")

@budget
def test_records_a_block_itself(torch_compile_report):
    with tlparse.record() as recording:
        torch.compile(LOG)
    torch.compile(PLAIN)
    assert recording.graph_breaks
    assert not torch_compile_report().graph_breaks

class TestOfAClass:
    @budget
    def test_method(self, torch_compile_report):
        torch.compile(LOG)
'''

# With torch itself.
REAL_TESTS = '''
import pytest, torch

def compiles(breaks):
    @torch.compile(backend="eager")
    def f(x):
        if breaks:
            torch._dynamo.graph_break()
        return x + 1
    f(torch.ones(2))

budget = pytest.mark.torch_compile_budget(graph_breaks=0)

@budget
def test_both(torch_compile_report):
    compiles(True)
    assert torch_compile_report().graph_breaks

@budget
def test_marker_only():
    compiles(True)

def test_fixture_only(torch_compile_report):
    compiles(False)
    assert not torch_compile_report().graph_breaks
    compiles(True)
    assert torch_compile_report().graph_breaks

@budget
def test_within_the_budget():
    compiles(False)

@budget
def test_fails_itself():
    compiles(True)
    assert 1 == 2, "ORIGINAL FAILURE"
'''

OVER = "AssertionError: torch.compile: "


class RunsOfPytest(InAFolder):
    """Each test of a file with the plugin."""

    def run_pytest(self, tests: str, stand_in: bool) -> "dict[str, str]":
        """How each test ended: `PASSED`, or `FAILED` and why; and no test left anything."""
        (self.folder / "conftest.py").write_text(CONFTEST)
        (self.folder / "test_it.py").write_text(tests)
        broken = self.folder / "broken_tlparse"
        broken.write_text("#!/bin/sh\necho tlparse is broken >&2\nexit 1\n")
        broken.chmod(0o755)
        arguments = ["-m", "pytest", "-p", "tlparse.pytest_plugin", "-p", "no:cacheprovider", "-rA", "--strict-markers"]
        said = self.python(*arguments, "test_it.py", stand_in=stand_in)
        self.assertIn("short test summary", said)
        self.assertEqual([line for line in said.splitlines() if "LEFT" in line], [], said)
        ended = re.findall(r"^(PASSED|FAILED|ERROR) test_it\.py::(\S+)(?: - (.*))?$", said, re.MULTILINE)
        return {name: f"{word} {why}".strip() for word, name, why in ended}

    def test_budgets_hold_failures_stay_and_all_is_as_before_after_each_test(self) -> None:
        needs("pytest")
        for name, scenario in [("breaks", "03_graph_breaks"), ("plain", "01_inference")]:
            raw = self.report_of(log(scenario), name) / "raw.log"
            (self.folder / f"{name}.log").write_bytes(raw.read_bytes())
        ended = self.run_pytest(TESTS, stand_in=True)
        over = [
            "test_both",
            "test_fixture_of_a_marked_test_that_has_begun",
            "test_breaks_after_the_report",
            "test_marker_only",
            "TestOfAClass::test_method",
        ]
        for name in over:
            self.assertEqual(ended.pop(name), f"FAILED {OVER}7 graph breaks, 0 allowed")
        for name in [name for name in ended if name.startswith("test_fails_itself")]:
            self.assertEqual(ended.pop(name), "FAILED AssertionError: ORIGINAL FAILURE")
        self.assertEqual(ended.pop("test_exits"), "FAILED SystemExit: ORIGINAL FAILURE")
        self.assertEqual(ended.pop("test_setup_fails"), "ERROR OSError: ORIGINAL FAILURE of the setup")
        why = "FAILED tlparse._program.TlparseError: tlparse is broken"
        self.assertEqual(ended.pop("test_passes_where_tlparse_fails"), why)
        passes = [
            "test_both_within_the_budget",
            "test_report_of_what_was_compiled_until_then",
            "test_compiles_nothing",
            "test_fixture_only",
            "test_changes_all_itself",
            "test_monkeypatch_of_a_marked_test",
            "test_monkeypatch_around_the_fixture",
            "test_records_a_block_itself",
        ]
        self.assertEqual(ended, {name: "PASSED" for name in passes})

    def test_torch_itself_is_recorded_and_left_as_it_was(self) -> None:
        needs("pytest")
        needs("torch")
        ended = self.run_pytest(REAL_TESTS, stand_in=False)
        over = f"FAILED {OVER}1 graph breaks, 0 allowed"
        self.assertEqual(
            ended,
            {
                "test_both": over,
                "test_marker_only": over,
                "test_fixture_only": "PASSED",
                "test_within_the_budget": "PASSED",
                "test_fails_itself": "FAILED AssertionError: ORIGINAL FAILURE",
            },
        )


class Blocks(InAFolder):
    """tlparse.record"""

    def run_block(self, body: str) -> str:
        """What a program with the stand-in prints that has `body` between two looks at the state."""
        program = STATE + "import tlparse\nlogging.getLogger('torch.__trace').setLevel(42)\n"
        program += "os.environ['TORCH_TRACE'] = 'of the user'\nbefore = state()\n" + textwrap.dedent(body)
        (self.folder / "program.py").write_text(program + "\nprint('same' if state() == before else (before, state()))\n")
        return self.python("program.py")

    def test_a_block_that_fails_leaves_all_as_it_was_and_keeps_its_error(self) -> None:
        said = self.run_block(
            """
            try:
                with tlparse.record() as recording:
                    assert os.environ["TORCH_TRACE"] == str(recording.folder) and state() != before
                    torch.compile("no log")
                    raise ValueError("of the block")
            except ValueError as error:
                print(error)
            """
        )
        self.assertEqual(said, "of the block\nsame\n")

    def test_a_block_that_cannot_begin_leaves_all_as_it_was(self) -> None:
        said = self.run_block(
            """
            os.environ["STAND_IN_CANNOT_RESET"] = "1"
            try:
                with tlparse.record():
                    print("begun")
            except RuntimeError as error:
                print(error)
            """
        )
        self.assertEqual(said, "reset failed\nsame\n")

    def test_a_block_within_a_block_has_a_report_of_its_own(self) -> None:
        for name, scenario in [("breaks", "03_graph_breaks"), ("plain", "01_inference")]:
            raw = self.report_of(log(scenario), name) / "raw.log"
            (self.folder / f"{name}.log").write_bytes(raw.read_bytes())
        said = self.run_block(
            """
            with tlparse.record() as outer:
                with tlparse.record() as inner:
                    torch.compile(open("breaks.log").read())
                torch.compile(open("plain.log").read())
            print(len(outer.graph_breaks), len(inner.graph_breaks))
            """
        )
        self.assertEqual(said, "0 7\nsame\n")

    def test_a_block_is_recorded_in_a_process_that_has_compiled_before(self) -> None:
        needs("torch")
        import torch

        def shift(values):
            doubled = values * 2
            print("a graph break")
            return doubled + 1

        torch.compile(shift, backend="eager")(torch.ones(3))
        for _ in range(2):
            with tlparse.record() as recording:
                torch.compile(shift, backend="eager")(torch.ones(3))
            self.assertEqual([one.line for one in recording.graph_breaks], [shift.__code__.co_firstlineno + 2])


if __name__ == "__main__":
    unittest.main()
