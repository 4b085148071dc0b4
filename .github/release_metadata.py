"""Writes the address of a release into Cargo.toml and pyproject.toml, and makes the links of the README absolute, as PyPI needs
them. The address is known only where the release is made.

    python release_metadata.py https://example.org/owner/tlparse v0.5.0
"""

import re
import sys
from pathlib import Path


def with_address(cargo: str, address: str) -> str:
    """Cargo.toml with the repository, which `cargo binstall` builds its addresses from."""
    return cargo.replace('readme = "README.md"\n', f'readme = "README.md"\nrepository = "{address}"\n', 1)


def with_urls(pyproject: str, address: str, ref: str) -> str:
    """pyproject.toml with the links that PyPI shows."""
    urls = {
        "Repository": address,
        "Changelog": f"{address}/blob/{ref}/CHANGELOG.md",
        "Documentation": f"{address}/tree/{ref}/docs",
        "Issues": f"{address}/issues",
    }
    lines = "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    return pyproject.replace("[project.optional-dependencies]", f"[project.urls]\n{lines}\n[project.optional-dependencies]", 1)


def with_absolute_links(readme: str, address: str, ref: str) -> str:
    """The README with absolute pictures and links; places in the page itself stay."""
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\1{address}/raw/{ref}/", readme)
    return re.sub(r"((?<!!)\[[^\]!]*\]\()(?!https?:|#)", rf"\1{address}/blob/{ref}/", text)


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    address, ref = sys.argv[1].rstrip("/"), sys.argv[2]
    changes = {
        "Cargo.toml": lambda text: with_address(text, address),
        "pyproject.toml": lambda text: with_urls(text, address, ref),
        "README.md": lambda text: with_absolute_links(text, address, ref),
    }
    for name, change in changes.items():
        path = Path(name)
        text = path.read_text(encoding="utf-8")
        changed = change(text)
        if changed == text:
            print(f"{name} has no place for the address of the release", file=sys.stderr)
            return 1
        path.write_text(changed, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
