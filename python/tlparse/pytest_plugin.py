"""A pytest plugin: what torch.compile did in a test, and a budget for it.

    @pytest.mark.torch_compile_budget(graph_breaks=0, recompiles=2)
    def test_step():
        torch.compile(step)(batch)

    def test_more(torch_compile_report):
        torch.compile(step)(batch)
        assert not torch_compile_report().graph_breaks
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, Callable, Generator, Iterator, List, Optional

import pytest

from ._recording import Recording, recorded
from ._report import Report
from ._text import one_line

MARKER = "torch_compile_budget"

RECORDING = pytest.StashKey[Recording]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARKER}(graph_breaks=N, recompiles=N, failures=N): how many of these torch.compile may have in the test",
    )


@contextlib.contextmanager
def recorded_once(item: pytest.Item, folder: Optional[Path] = None) -> Iterator[Recording]:
    """Records a test once: the fixture and the marked test share what the first of them begins."""
    if RECORDING in item.stash:
        yield item.stash[RECORDING]
        return
    with recorded(folder) as recording:
        item.stash[RECORDING] = recording
        yield recording


@pytest.fixture
def torch_compile_report(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Report]]:
    """Records the test; called, it gives the report of what was compiled until then."""
    with recorded_once(request.node, tmp_path / "torch_trace") as recording:

        def report() -> Report:
            recording._read()
            return recording.report

        yield report


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
    """Holds a marked test against its budget."""
    marker = pyfuncitem.get_closest_marker(MARKER)
    if marker is None:
        yield
        return
    with contextlib.ExitStack() as block:
        recording = block.enter_context(recorded_once(pyfuncitem))
        outcome = yield
        try:
            block.close()
            if outcome.excinfo is None:
                hold(recording, marker.kwargs)
        except Exception as error:
            # A test that failed keeps its own failure.
            if outcome.excinfo is None:
                outcome.force_exception(error)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Ends what the test shared. By then `monkeypatch` may have set `TORCH_TRACE` to the log of the recording again."""
    yield
    recording = item.stash.get(RECORDING, None)
    if recording is not None:
        recording._restore_variable()
        del item.stash[RECORDING]


def hold(recording: Recording, budget: dict) -> None:
    """Raises an AssertionError with what is over a budget."""
    recording._read()
    told = [] if recording.is_empty else exceeded(recording.report, budget)
    if told:
        raise AssertionError("\n".join(told))


def exceeded(report: Any, budget: dict) -> List[str]:
    """What is over a budget, a line each, with the lines of the program."""
    told = []
    for name, most in budget.items():
        items = getattr(report, name)
        if len(items) <= most:
            continue
        told.append(f"torch.compile: {len(items)} {name.replace('_', ' ')}, {most} allowed")
        told += [f"  {described(item)}" for item in items]
    return told


def described(item: Any) -> str:
    """A graph break, recompile or failure with its line."""
    function = getattr(item, "function", None)
    file, line = getattr(item, "file", None), getattr(item, "line", None)
    if file is None and function is not None:
        file, line = function.file, function.line
    what = getattr(item, "reason", None)
    if what is None and getattr(item, "reasons", None):
        what = item.reasons[0].text
    place = f"{one_line(file)}:{one_line(line)}: " if file else ""
    return place + one_line(what or "")[:300]
