"""How the classes of facts.py are read from JSON."""

from __future__ import annotations

import dataclasses
import sys
import typing
from typing import Any, Dict, Type, TypeVar

Read = TypeVar("Read", bound="Facts")

_HINTS: Dict[type, Dict[str, Any]] = {}


class Facts:
    """An object of report.json.

    Keys that this version does not know are left out; those that are missing or null have their default.
    """

    @classmethod
    def of(cls: Type[Read], json: Dict[str, Any]) -> Read:
        """The object that some JSON describes.

        ValueError if the JSON has something else in place of a list or an object; numbers and texts are not checked.
        """
        known = {}
        values = _of_kind(dict, json)
        for name, kind in _hints(cls).items():
            value = values.get(name[:-1] if name.endswith("_") else name)
            if value is not None:
                known[name] = _value(kind, value)
        return cls(**known)

    def to_dict(self) -> Dict[str, Any]:
        """The JSON of it."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]


def _hints(cls: type) -> Dict[str, Any]:
    if cls not in _HINTS:
        module = vars(sys.modules[cls.__module__])
        hints = typing.get_type_hints(cls, module)
        _HINTS[cls] = {one.name: hints[one.name] for one in dataclasses.fields(cls)}  # type: ignore[arg-type]
    return _HINTS[cls]


def _value(kind: Any, value: Any) -> Any:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        return None if value is None else _value(inner[0], value)
    if origin is list:
        return [_value(inner[0], one) for one in _of_kind(list, value)]
    if origin is dict:
        return {key: _value(inner[1], one) for key, one in _of_kind(dict, value).items()}
    if isinstance(kind, type) and issubclass(kind, Facts):
        return kind.of(value)
    return value


def _of_kind(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{kind.__name__} expected, {type(value).__name__} found")
    return value
