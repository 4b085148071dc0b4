"""The program that does the work: it is installed beside Python, as `tlparse`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import List, Optional

from ._text import visible


class TlparseError(Exception):
    """The program could not do what it was asked; the text is what it said."""


def program() -> str:
    """The path of the program: `$TLPARSE`, or beside this Python, or on the PATH.

    A program of the same name that is on the PATH may be another one, so it comes last.
    """
    name = "tlparse" + (sysconfig.get_config_var("EXE") or "")
    given = os.environ.get("TLPARSE")
    folders = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent), _user_scripts()]
    beside = [str(Path(folder) / name) for folder in folders if folder]
    for path in [given, *beside, shutil.which("tlparse")]:
        if path and os.path.isfile(path):
            return path
    raise TlparseError("the program tlparse is not installed beside this Python; set TLPARSE to its path")


def _user_scripts() -> Optional[str]:
    scheme = "nt_user" if os.name == "nt" else "posix_user"
    try:
        return sysconfig.get_path("scripts", scheme)
    except KeyError:
        return None


def run(arguments: List[str], allowed: tuple = (0,)) -> subprocess.CompletedProcess:
    """Runs the program; an exit code that is not allowed raises what the program said."""
    done = subprocess.run(
        [program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
    )
    if done.returncode not in allowed:
        raise TlparseError(visible(done.stderr.strip()) or f"tlparse ended with {done.returncode}")
    return done
