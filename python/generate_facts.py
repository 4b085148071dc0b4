#!/usr/bin/env python3
"""Writes tlparse/facts.py from report.schema.json.

    python/generate_facts.py            writes it
    python/generate_facts.py --check    ends with 1 if it differs from what would be written
"""

from __future__ import annotations

import json
import keyword
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCHEMA = HERE.parent / "report.schema.json"
TARGET = HERE / "tlparse" / "facts.py"

HEAD = '''"""The facts of a report: a class per object of report.json.

Written by python/generate_facts.py from report.schema.json; change that instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ._reading import Facts

'''

SCHEMAS = json.loads(SCHEMA.read_text())["$defs"]
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
EMPTY = {"str": '""', "int": "0", "float": "0.0", "bool": "False"}


def type_of(schema: dict) -> str:
    """The type of a value, as Python writes it."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        defined = SCHEMAS[name]
        return name if defined.get("type") == "object" else type_of(defined)
    if "anyOf" in schema:
        inner = [one for one in schema["anyOf"] if one.get("type") != "null"]
        return f"Optional[{type_of(inner[0])}]" if len(inner) == 1 else "Any"
    if "oneOf" in schema:  # words, each with what it means
        return type_of(schema["oneOf"][0])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        inner = [kind for kind in kinds if kind != "null"]
        return f"Optional[{type_of({**schema, 'type': inner[0]})}]" if len(inner) == 1 else "Any"
    if kinds == "array":
        return f"List[{type_of(schema['items'])}]" if "items" in schema else "List[Any]"
    if kinds == "object":
        values = schema.get("additionalProperties")
        return f"Dict[str, {type_of(values)}]" if isinstance(values, dict) else "Dict[str, Any]"
    return SIMPLE.get(kinds, "Any")


def default_of(kind: str) -> str:
    """What a key has that an older report lacks."""
    if kind.startswith("List["):
        return "field(default_factory=list)"
    if kind.startswith("Dict["):
        return "field(default_factory=dict)"
    if kind.startswith("Optional[") or kind == "Any":
        return "None"
    return EMPTY.get(kind, f"field(default_factory=lambda: {kind}())")


def class_of(name: str, schema: dict) -> str:
    """The class of an object."""
    lines = ["@dataclass", f"class {name}(Facts):", f'    """{sentence(schema)}"""', ""]
    for key, value in schema.get("properties", {}).items():
        kind = type_of(value)
        own = key + "_" if keyword.iskeyword(key) else key
        lines.append(f"    {own}: {kind} = {default_of(kind)}")
        if text := sentence(value):
            lines.append(f'    """{text}"""')
    return "\n".join(lines) + "\n"


def sentence(schema: dict) -> str:
    """The description on one line."""
    text = " ".join(schema.get("description", "").split())
    return text.replace("\\", "\\\\").replace('"', "'")


def module() -> str:
    """The text of facts.py."""
    objects = {name: one for name, one in SCHEMAS.items() if one.get("type") == "object"}
    return HEAD + "\n" + "\n\n".join(class_of(name, one) for name, one in objects.items())


def main() -> int:
    """Writes the file, or compares it."""
    text = module()
    if "--check" in sys.argv[1:]:
        if TARGET.exists() and TARGET.read_text() == text:
            return 0
        print("python/tlparse/facts.py is not what report.schema.json describes: run python/generate_facts.py")
        return 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
