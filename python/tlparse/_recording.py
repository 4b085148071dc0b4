"""Recording what torch.compile does in this process."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from pathlib import Path
from typing import Dict, Iterator, List, Optional

from ._report import PathLike, Report, parse

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

    @property
    def report(self) -> Report:
        """The report of what the block compiled."""
        if self.is_empty:
            raise RuntimeError("torch compiled nothing in the block, so there is no report")
        if self._report is None:
            raise RuntimeError("the report is there when the block of tlparse.record() has ended")
        return self._report

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

    `fresh` makes torch forget what it compiled, so that the block compiles again, and does not read caches of earlier runs.
    """
    import torch
    import torch._dynamo
    import torch._logging._internal as internal

    if folder is None:
        kept = tempfile.TemporaryDirectory(prefix="tlparse-trace-")
        _KEPT.append(kept)
        folder = kept.name
    recording = Recording(Path(folder))
    recording.folder.mkdir(parents=True, exist_ok=True)
    before = os.environ.get("TORCH_TRACE")
    logger = logging.getLogger("torch.__trace")
    handler = internal.LazyTraceHandler(str(recording.folder))
    handler.setFormatter(internal.TorchLogsFormatter(trace=True))
    level, others = logger.level, list(logger.handlers)
    # torch defines each text once per log: the new one begins without any.
    texts = _intern_table()
    saved = dict(texts)
    texts.clear()
    os.environ["TORCH_TRACE"] = str(recording.folder)
    for other in others:
        logger.removeHandler(other)
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    if fresh:
        torch._dynamo.reset()
    caches = _without_caches() if fresh else contextlib.nullcontext()
    try:
        with caches:
            yield recording
    finally:
        logger.removeHandler(handler)
        handler.close()
        for other in others:
            logger.addHandler(other)
        logger.setLevel(level)
        texts.clear()
        texts.update(saved)
        if before is None:
            os.environ.pop("TORCH_TRACE", None)
        else:
            os.environ["TORCH_TRACE"] = before
    recording.is_empty = not any(recording.folder.iterdir())
    if not recording.is_empty:
        recording._report = parse(recording.folder, options=options)


def _intern_table() -> Dict[str, int]:
    """The texts that torch has defined in its log, with their numbers."""
    import torch._logging.structured as structured

    return getattr(structured, "INTERN_TABLE", {})


@contextlib.contextmanager
def _without_caches() -> Iterator[None]:
    import torch._inductor.config as inductor

    before = inductor.force_disable_caches
    inductor.force_disable_caches = True
    try:
        yield
    finally:
        inductor.force_disable_caches = before
