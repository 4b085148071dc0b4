"""How the classes of facts.py are read from JSON."""

from __future__ import annotations

import dataclasses
import sys
import typing
from typing import Any, Dict, Type, TypeVar

Read = TypeVar("Read", bound="Facts")

_HINTS: Dict[type, Dict[str, Any]] = {}


class Facts:
    """An object of report.json. Keys that this version does not know are left out, missing ones have their default."""

    @classmethod
    def of(cls: Type[Read], json: Dict[str, Any]) -> Read:
        """The object that some JSON describes."""
        hints = _hints(cls)
        known = {}
        for name, kind in hints.items():
            key = name[:-1] if name.endswith("_") else name
            if key in json:
                known[name] = _value(kind, json[key])
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
    if value is None:
        return None
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        return _value(inner[0], value)
    if origin is list:
        return [_value(inner[0], one) for one in value]
    if origin is dict:
        return {key: _value(inner[1], one) for key, one in value.items()}
    if isinstance(kind, type) and issubclass(kind, Facts):
        return kind.of(value)
    return value
