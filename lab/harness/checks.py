"""Whether what came out is what a program states."""

from __future__ import annotations

from typing import Any

from .programs import Program, Statement

Outcome = dict[str, Any]


def broken(statement: Statement, version: str, before: Outcome, after: Outcome) -> list[str]:
    """What of a statement did not hold."""
    words = statement.under(version)
    if words is None:
        return []
    wrong = _exception("before", words.get("error_before"), before["error"])
    wrong += _exception("after", words.get("error"), after["error"])
    if "error" in words:
        return wrong
    if after["equal"] == (words.get("results") == "other"):
        wrong.append("the results are equal" if after["equal"] else "the results differ")
    for count, values in words.items():
        if isinstance(values, list):
            measured = [before.get(count), after.get(count)]
            if measured != values:
                wrong.append(f"{count} {measured[0]} -> {measured[1]}, not {values[0]} -> {values[1]}")
    for measured, (least, most) in words.get("ratio", {}).items():
        ratio = after[measured] / before[measured]
        if not least <= ratio <= most:
            wrong.append(f"{measured} {before[measured]} -> {after[measured]}, not {least} to {most} times")
    return wrong


def _exception(when: str, stated: str | None, raised: str | None) -> list[str]:
    if stated is None:
        return [f"{when}: {raised}"] if raised else []
    return [] if raised and raised.startswith(stated) else [f"{when}: no {stated} but {raised}"]


def holds(program: Program, version: str, outcomes: dict[str, dict[str, Outcome]], fixes: dict[int, Statement]) -> bool:
    """Whether at least one of these statements is made under a version, was tried, and all such hold."""
    before = outcomes.get("0", {}).get(version)
    if before is None:
        return False
    made = {fix: one for fix, one in fixes.items() if one.under(version) is not None}
    for fix, statement in made.items():
        after = outcomes.get(str(fix), {}).get(version)
        if after is None or broken(statement, version, before, after):
            return False
    return bool(made)


def is_good(program: Program, version: str, outcomes: dict[str, dict[str, Outcome]]) -> bool:
    """Whether a kind was tried under a version with a good outcome: what is advised helps, and so on."""
    if program.promises and not holds(program, version, outcomes, program.promises):
        return False
    return holds(program, version, outcomes, program.statements())
