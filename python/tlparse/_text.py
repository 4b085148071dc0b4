"""Text of a report, which may come from anywhere, made safe to show."""

from __future__ import annotations

import html
import re

# Characters that a reader does not see, as the program has them: control characters, those that change the direction of
# text, and those without a shape. Also halves of a pair, which no terminal can be sent. Ends of lines and tabs stay.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]|\r(?!\n)"
)


def visible(text: object) -> str:
    r"""The text with hidden characters spelled out, as `\u{202e}`, so that it controls no terminal. Lines stay lines."""
    return _HIDDEN.sub(lambda found: f"\\u{{{ord(found.group()):x}}}", str(text))


def one_line(text: object) -> str:
    """The visible text on one line."""
    return " ".join(visible(text).split())


def as_html(text: object) -> str:
    """The visible text for a page."""
    return html.escape(visible(text))
