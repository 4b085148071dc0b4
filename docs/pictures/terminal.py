"""Draws a terminal in which commands are given and the last one prints: terminal.py FILE PROGRAM COMMAND...

The last command is run in the current folder, by PROGRAM in place of its first word, and printed in the colors that a
terminal gets. The current folder is called /home/me.
"""

import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

COLUMNS = 104
CHARACTER = 8.0
LINE = 20
MARGIN = 16
COLORS = {"31": "#ff7b72", "33": "#e3b341", "36": "#79c0ff", "32": "#7ee787", "1": "#ffffff"}
PLAIN, PROMPT, GROUND = "#c9d1d9", "#7ee787", "#161b22"


def printed(program: str, command: str) -> str:
    """What a command prints to a terminal."""
    reader, terminal = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    running = subprocess.Popen(
        [program, *shlex.split(command)[1:]], stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    )
    os.close(terminal)
    parts: list[bytes] = []
    try:
        while data := os.read(reader, 1 << 16):
            parts.append(data)
    except OSError:
        pass  # The program has ended.
    running.wait()
    text = b"".join(parts).decode().replace("\r\n", "\n")
    # Progress is drawn over and over in a line of its own.
    lines = [line.rsplit("\r", 1)[-1] for line in text.split("\n")]
    return "\n".join(line for line in lines if line).replace(os.getcwd(), "/home/me")


def pieces(line: str) -> list[tuple[str, str]]:
    """The characters of a line, each with its color."""
    color, found = PLAIN, []
    for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z])", line):
        if part.startswith("\x1b"):
            codes = part[2:-1].split(";") if part.endswith("m") else []
            known = [COLORS[code] for code in codes if code in COLORS]
            color = known[-1] if known else PLAIN
        else:
            found.extend((character, color) for character in part)
    return found


def rows(session: str) -> list[list[tuple[str, str]]]:
    """The lines as a terminal breaks them."""
    found = []
    for line in session.split("\n"):
        characters = pieces(line)
        found.extend(characters[at : at + COLUMNS] for at in range(0, max(len(characters), 1), COLUMNS))
    return found


def spans(row: list[tuple[str, str]]) -> str:
    """A row as text of SVG."""
    text, before = "", None
    for character, color in row:
        if color != before:
            text += ("</tspan>" if before else "") + f'<tspan fill="{color}">'
        text, before = text + escape(character), color
    return text + ("</tspan>" if before else "")


def main() -> None:
    """Writes the picture."""
    file, program, *commands = sys.argv[1:]
    output = printed(program, commands[-1])
    prompt = "\x1b[32m$\x1b[0m "
    drawn = rows("\n".join([*(prompt + command for command in commands), output]))
    width, height = COLUMNS * CHARACTER + 2 * MARGIN, len(drawn) * LINE + 2 * MARGIN
    lines = "".join(
        f'<text x="{MARGIN}" y="{MARGIN + 14 + LINE * number}" xml:space="preserve">{spans(row)}</text>\n'
        for number, row in enumerate(drawn)
    )
    Path(file).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" font-size="13.3" '
        f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace">\n'
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>\n{lines}</svg>\n'
    )


main()
