"""`python -m tlparse`: the program, with the arguments given."""

import os
import subprocess
import sys

from ._program import program


def main() -> None:
    """Becomes the program where that is possible."""
    command = [program(), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
