"""Lists of facts, which become tables."""

from __future__ import annotations

from typing import Any, Iterable, List, TypeVar

Item = TypeVar("Item")


class FactList(List[Item]):
    """A list of facts."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        super().__init__(items)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a row per item and a column per key, named as in report.json."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas") from error
        return pandas.DataFrame([item.to_dict() for item in self])  # type: ignore[attr-defined]
