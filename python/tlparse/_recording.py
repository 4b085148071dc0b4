"""Recording what torch.compile does in this process."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from pathlib import Path
from typing import Dict, Iterator, List, Optional

from ._report import PathLike, Report, parse

#: Names the folder that torch writes its log to.
VARIABLE = "TORCH_TRACE"

# Folders of logs that nobody named, kept as long as the process runs.
_KEPT: List["tempfile.TemporaryDirectory[str]"] = []


class Recording:
    """What is recorded; `report` is there when the block has ended."""

    def __init__(self, folder: Path) -> None:
        #: The folder of the log.
        self.folder = folder
        #: Whether torch compiled nothing in the block.
        self.is_empty = False
        self._report: Optional[Report] = None
        self._before = os.environ.get(VARIABLE)

    @property
    def report(self) -> Report:
        """The report of what the block compiled."""
        if self.is_empty:
            raise RuntimeError("torch compiled nothing in the block, so there is no report")
        if self._report is None:
            raise RuntimeError("the report is there when the block of tlparse.record() has ended")
        return self._report

    def _read(self, options: Optional[List[str]] = None) -> None:
        """Reads the log as it is now."""
        self.is_empty = not any(self.folder.iterdir())
        if not self.is_empty:
            self._report = parse(self.folder, options=options)

    def _restore_variable(self) -> None:
        """Sets `TORCH_TRACE` to what it was before, if it names the log of this recording."""
        if os.environ.get(VARIABLE) == str(self.folder):
            _set_variable(self._before)

    def __getattr__(self, name: str):
        # `r.findings` is `r.report.findings`.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.report, name)


@contextlib.contextmanager
def record(
    folder: Optional[PathLike] = None, *, fresh: bool = True, options: Optional[List[str]] = None
) -> Iterator[Recording]:
    """Records what torch compiles within the block, also in a process that has compiled before.

    `fresh` makes torch forget what it compiled, so that the block compiles again, and does not read caches of earlier
    runs. After the block, `TORCH_TRACE` and torch's logger are as they were before it.
    """
    with recorded(folder, fresh=fresh) as recording:
        yield recording
    recording._read(options)


@contextlib.contextmanager
def recorded(folder: Optional[PathLike] = None, *, fresh: bool = True) -> Iterator[Recording]:
    """Records into a log of its own, without a report of it. What is changed for that is undone, whatever fails."""
    # Imported before TORCH_TRACE is set, as torch reads it then.
    import torch._dynamo

    if folder is None:
        kept = tempfile.TemporaryDirectory(prefix="tlparse-trace-")
        _KEPT.append(kept)
        folder = kept.name
    recording = Recording(Path(folder))
    recording.folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as changed:
        changed.enter_context(_own_texts())
        # For the processes that the block starts; in this one, torch has its handler.
        changed.callback(_set_variable, recording._before)
        _set_variable(str(recording.folder))
        changed.enter_context(_own_handler(recording.folder))
        if fresh:
            torch._dynamo.reset()
            changed.enter_context(_without_caches())
        yield recording


@contextlib.contextmanager
def _own_texts() -> Iterator[None]:
    """torch defines each text once per log: the new one begins without any."""
    import torch._logging.structured as structured

    texts: Dict[str, int] = getattr(structured, "INTERN_TABLE", {})
    before = dict(texts)
    texts.clear()
    try:
        yield
    finally:
        texts.clear()
        texts.update(before)


def _set_variable(folder: Optional[str]) -> None:
    """Sets `TORCH_TRACE`, or removes it."""
    if folder is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = folder


@contextlib.contextmanager
def _own_handler(folder: Path) -> Iterator[None]:
    """Makes torch write to a new log in the folder, and to no other."""
    import torch._logging._internal as internal

    logger = logging.getLogger("torch.__trace")
    before, level = list(logger.handlers), logger.level
    handler = internal.LazyTraceHandler(str(folder))
    handler.setFormatter(internal.TorchLogsFormatter(trace=True))
    try:
        _set_handlers(logger, [handler])
        logger.setLevel(logging.DEBUG)
        yield
    finally:
        # Also without those that the block has added.
        _set_handlers(logger, before)
        logger.setLevel(level)
        handler.close()


def _set_handlers(logger: logging.Logger, handlers: List[logging.Handler]) -> None:
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    for handler in handlers:
        logger.addHandler(handler)


@contextlib.contextmanager
def _without_caches() -> Iterator[None]:
    import torch._inductor.config as inductor

    before = inductor.force_disable_caches
    inductor.force_disable_caches = True
    try:
        yield
    finally:
        inductor.force_disable_caches = before
