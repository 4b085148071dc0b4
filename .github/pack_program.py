"""Packs the program of a wheel as `cargo binstall` looks for it: tlparse-TARGET.tgz, or .zip for Windows.

    python pack_program.py dist/tlparse-0.5.0-py3-none-linux_x86_64.whl x86_64-unknown-linux-gnu dist
"""

import io
import sys
import tarfile
import zipfile
from pathlib import Path


def program_of(wheel: Path) -> tuple[str, bytes]:
    """Name and content of the program in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".data/scripts/tlparse" in name:
                return name.rsplit("/", 1)[1], archive.read(name)
    raise SystemExit(f"{wheel} has no program")


def pack(wheel: Path, target: str, folder: Path) -> Path:
    """Writes the archive; gives its path."""
    name, content = program_of(wheel)
    if "windows" in target:
        packed = folder / f"tlparse-{target}.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, content)
        return packed
    packed = folder / f"tlparse-{target}.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(content), 0o755
        archive.addfile(entry, io.BytesIO(content))
    return packed


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(pack(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
