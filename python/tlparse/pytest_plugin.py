"""A pytest plugin: what torch.compile did in a test, and a budget for it.

    @pytest.mark.torch_compile_budget(graph_breaks=0, recompiles=2)
    def test_step():
        torch.compile(step)(batch)

    def test_more(torch_compile_report):
        torch.compile(step)(batch)
        assert not torch_compile_report().graph_breaks
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, List

import pytest

from . import record

MARKER = "torch_compile_budget"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARKER}(graph_breaks=N, recompiles=N, failures=N): how many of these torch.compile may have in the test",
    )


@pytest.fixture
def torch_compile_report(request: pytest.FixtureRequest, tmp_path) -> Iterator[Callable[[], Any]]:
    """Records the test; called, it ends the recording and gives the report."""
    block = record(tmp_path / "torch_trace")
    recording = block.__enter__()
    ended: List[Any] = []

    def report() -> Any:
        if not ended:
            block.__exit__(None, None, None)
            ended.append(recording.report)
        return ended[0]

    yield report
    if not ended:
        # The test did not ask, so it does not matter whether it compiled anything.
        block.__exit__(None, None, None)


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Holds a marked test against its budget."""
    marker = pyfuncitem.get_closest_marker(MARKER)
    if marker is None:
        yield
        return
    with record() as recording:
        outcome = yield
    if outcome.excinfo is None and not recording.is_empty:
        told = exceeded(recording.report, marker.kwargs)
        if told:
            outcome.force_exception(AssertionError("\n".join(told)))


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
    place = f"{file}:{line}: " if file else ""
    return place + " ".join(str(what or "").split())[:300]
