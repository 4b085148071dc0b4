"""What torch.compile did to a model, and what to change: reads logs that torch writes with TORCH_TRACE.

    import tlparse

    report = tlparse.parse("/tmp/trace")
    for finding in report.findings:
        print(tlparse.visible(f"{finding.title} {finding.file}:{finding.line}"))

    with tlparse.record() as r:
        torch.compile(step)(batch)
    r.report.show()
"""

from . import facts
from ._lists import FactList
from ._program import TlparseError, program
from ._recording import Recording, record
from ._report import Report, check, diff, parse
from ._text import visible

__all__ = [
    "FactList",
    "Recording",
    "Report",
    "TlparseError",
    "check",
    "diff",
    "facts",
    "parse",
    "program",
    "record",
    "visible",
]
