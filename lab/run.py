#!/usr/bin/env python3
"""Tries the advice of tlparse: runs each program of the lab before and after, under a given torch.

    lab/run.py PYTHON                  all programs, all FIXes
    lab/run.py PYTHON print_call item  some kinds
    lab/run.py PYTHON --new            what was not run under this torch
    lab/run.py PYTHON --apply          applies what the report of each log before advises, and checks what it promises
    lab/run.py PYTHON --record DIR     keeps the logs in DIR/before.tar.zst and DIR/after.tar.zst (needs zstd)
    lab/run.py --table                 writes OUTCOMES.md and src/analysis/lab.json anew, without running anything

What came out is kept in outcomes.json; OUTCOMES.md and src/analysis/lab.json are made of it.
It ends with 1 if something that a program states, or a report promises, did not come out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from harness import outcomes
from harness.advice import try_advice
from harness.checks import broken
from harness.programs import Program, programs
from harness.record import Archive
from harness.reports import Tlparse
from harness.torch_process import Run, TorchProcess

SECONDS_PER_RUN = 240


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", nargs="?", metavar="PYTHON", help="a Python that can import torch")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="programs to run; all of them if none is named")
    parser.add_argument("--apply", action="store_true", help="apply the advice that the report gives")
    parser.add_argument("--record", type=Path, metavar="DIR", help="keep the logs")
    parser.add_argument("--table", action="store_true", help="only write what is made of outcomes.json")
    parser.add_argument("--new", action="store_true", help="only what outcomes.json lacks under this torch")
    parser.add_argument("--show", action="store_true", help="print what programs print, and tracebacks")
    parser.add_argument("--tlparse", type=Path, help="the tlparse to read logs with (target/release or target/debug)")
    parser.add_argument("--timeout", type=float, default=SECONDS_PER_RUN, help="seconds per run")
    return parser.parse_intermixed_args()


class Session:
    """One call of this program."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.torch = TorchProcess(options.python, options.timeout)
        self.tlparse = Tlparse.find(options.tlparse)
        self.outcomes = outcomes.load()
        self.wrong = 0
        states = ("before", "after") if options.record else ()
        self.archives = {state: Archive(options.record / f"{state}.tar.zst") for state in states}

    def say(self, program: Program, fix: int, run: Run, problems: list[str]) -> None:
        """One line per run."""
        outcome = run.outcome(program.counts())
        counts = " ".join(f"{name}={value}" for name, value in outcome.items() if value is not None)
        state = "; ".join(["WRONG", *problems]) if problems else "ok"
        print(f"{program.kind} FIX={fix} torch {self.torch.version}: {counts}: {state}", flush=True)
        if self.options.show:
            print(run.printed())
        self.wrong += bool(problems)

    def try_program(self, program: Program) -> None:
        """Runs all FIXes of a program and checks what it states."""
        version = self.torch.version_for(program)
        if version is None:
            print(f"{program.kind}: skipped, it needs a GPU", flush=True)
            return
        of_kind = self.outcomes.setdefault(program.kind, {})
        advised = next(iter(program.promises), None)
        recorded = (0, advised) if self.options.record else ()
        known = [fix for fix in program.fixes if version in of_kind.get(str(fix), {})] if self.options.new else []
        fixes = [fix for fix in program.fixes if fix in recorded or fix not in known]
        if not fixes:
            return
        expected = self.torch.run(program, 0)
        before = self.torch.run(program, 0, expected=expected)
        for fix in fixes:
            after = before if fix == 0 else self.torch.run(program, fix, expected=expected)
            if after.error != "timeout":
                of_kind.setdefault(str(fix), {})[version] = after.outcome(program.counts())
            problems = self.problems(program, fix, version, before, after)
            self.say(program, fix, after, problems)
            if self.archives and fix in (0, advised):
                self.archives["after" if fix else "before"].add(program, after, self.torch.places)

    def problems(self, program: Program, fix: int, version: str, before: Run, after: Run) -> list[str]:
        """What did not come out as the program states."""
        statement = program.statements().get(fix)
        if statement is None:
            return []
        counts = program.counts()
        found = broken(statement, version, before.outcome(counts), after.outcome(counts))
        if fix in program.promises and statement.under(version) is not None and self.tlparse:
            found += self.tlparse.still_advised(program, before.log(), after.log())
        return found


def main() -> int:
    options = arguments()
    if options.table or options.python is None:
        outcomes.store(outcomes.load(), programs([]))
        return 0
    session = Session(options)
    for program in programs(options.kinds):
        if options.apply and session.torch.version_for(program):
            session.wrong += not try_advice(program, session.torch, session.tlparse)
            continue
        session.try_program(program)
        outcomes.store(session.outcomes, programs([]))
    for archive in session.archives.values():
        archive.write()
    session.torch.close()
    print(f"torch {session.torch.full_version}: {session.wrong} did not come out as stated")
    return int(session.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
