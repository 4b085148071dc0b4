"""Files of a finished report.

A report may come from anywhere, also with links among its files that lead to those of its reader. So a file is opened
beneath the folder that the reader named, through no link, without waiting for a pipe, and read up to a limit.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, List, Optional, Union

from ._program import TlparseError
from ._text import visible

# What the system says of a link, of a file in place of a folder, and of a socket.
_REFUSED = {errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO}

# How a folder is opened to open something in it; on Linux, no right to list it is needed.
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY)


class ReportFolder:
    """The folder of a finished report, or of one within it: the only way to open their files."""

    def __init__(self, root: Union[str, "os.PathLike[str]"], below: str = "") -> None:
        #: What the reader named; it may be a link.
        self.root = Path(root)
        #: The folder below it, such as `rank_0`; empty for the report itself.
        self.below = below

    @property
    def path(self) -> Path:
        """Its path, to be shown."""
        return self.root / self.below

    def open(self, name: str) -> BinaryIO:
        """Opens a file of the report.

        FileNotFoundError if there is none; TlparseError if it is no regular file, or is behind a link.
        """
        parts = [part for part in (self.below, name) if part]
        try:
            # A part with a separator or a drive would lead out of the folder.
            if any(part in (".", "..") or set(part) & set("/\\:\0") for part in parts):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            file = (_open_beneath if os.open in os.supports_dir_fd else _open_checked)(self.root, parts)
        except OSError as error:
            if error.errno not in _REFUSED:
                raise
            what = f"{self.path / name} is a link, or behind one, or not a regular file, so it is not opened"
            raise TlparseError(visible(what)) from error
        return os.fdopen(file, "rb")

    def read(self, name: str, most: int) -> bytes:
        """The content of a file of at most `most` bytes; a larger one is a TlparseError, otherwise as for `open`."""
        with self.open(name) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise TlparseError(visible(f"{self.path / name} is larger than {most >> 20} MB"))
            return file.read(size)


def _open_beneath(root: Path, parts: List[str]) -> int:
    """Each folder is opened in the one before, so that no link is followed that is put there meanwhile."""
    folder = os.open(root, _FOLDER)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
        return _regular(os.open(parts[-1], flags, dir_fd=folder))
    finally:
        os.close(folder)


def _open_checked(root: Path, parts: List[str]) -> int:
    """The same where folders cannot be opened one in another, as on Windows: each part is looked at first."""
    path = root
    for part in parts:
        path = path / part
        looked_at = os.lstat(path)
        is_reparse_point = getattr(looked_at, "st_file_attributes", 0) & stat.FILE_ATTRIBUTE_REPARSE_POINT
        is_expected = stat.S_ISREG if part is parts[-1] else stat.S_ISDIR
        if is_reparse_point or not is_expected(looked_at.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    return _regular(file, looked_at)


def _regular(file: int, looked_at: Optional[os.stat_result] = None) -> int:
    """The file, if it is a regular one, and the one that was looked at; otherwise it is closed."""
    opened = os.fstat(file)
    if stat.S_ISREG(opened.st_mode) and (looked_at is None or os.path.samestat(opened, looked_at)):
        return file
    os.close(file)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
