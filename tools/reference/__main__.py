"""Writes the reference pages into docs/reference/, and removes what is no page any more."""

from __future__ import annotations

import sys
from pathlib import Path

from . import PAGES

FOLDER = Path(__file__).parents[2] / "docs" / "reference"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        try:
            (FOLDER / name).write_text(page(), encoding="utf-8")
        except KeyError as error:
            sys.exit(f"{name}: {error} has no words yet; write them in tools/reference.")
    for file in FOLDER.glob("*.md"):
        if file.name not in PAGES:
            file.unlink()
    print(f"{len(PAGES)} pages in docs/reference")


if __name__ == "__main__":
    main()
