#!/usr/bin/env python3
"""Writes into Cargo.toml, pyproject.toml and README.md where a release comes from: release_metadata.py ADDRESS TAG.

A checkout does not know its address. A package needs it: cargo-binstall finds programs by it, and the page of a package shows
the pictures and documents that README.md links.
"""

import pathlib
import re
import sys


def linked(text, address, tag):
    """README.md with absolute links: pictures as files, documents as pages."""

    def absolute(found):
        start, target = found[1], found[2]
        if "://" in target or target.startswith("#"):
            return found[0]
        kind = "raw" if start.startswith("!") else "blob"
        return f"{start}({address}/{kind}/{tag}/{target})"

    return re.sub(r"(!?\[[^\]]*\])\(([^)\s]+)\)", absolute, text)


def once(text, old, new):
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    return text.replace(old, new)


def main(address, tag, root="."):
    root, address = pathlib.Path(root), address.rstrip("/")
    assert re.fullmatch(r"https://[\w./~-]+", address), address
    assert re.fullmatch(r"[\w./-]+", tag), tag
    cargo = root / "Cargo.toml"
    cargo.write_text(once(cargo.read_text(), 'readme = "README.md"\n', f'readme = "README.md"\nrepository = "{address}"\n'))
    urls = {
        "Homepage": address,
        "Documentation": f"{address}/tree/{tag}/docs",
        "Changelog": f"{address}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{address}/issues",
        "Source": address,
    }
    table = "[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    project = root / "pyproject.toml"
    project.write_text(once(project.read_text(), "[tool.maturin]\n", f"{table}\n[tool.maturin]\n"))
    readme = root / "README.md"
    readme.write_text(linked(readme.read_text(), address, tag))


if __name__ == "__main__":
    main(*sys.argv[1:])
