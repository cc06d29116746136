"""Builds the documentation site into build/site; any warning of the generator fails.

The generator is given a copy of docs/ in which a fence says no more than the site shows: its language and its
title. What else stands there (tests/docs/_page.py) is for the tests.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^( *`{3,})(\w+) +(.+)$", re.MULTILINE)
TITLE = re.compile(r'title="[^"]*"')


def main() -> int:
    prepare(ROOT / "docs", ROOT / "build" / "docs")
    generator = Path(sys.executable).with_name("zensical")
    return subprocess.run([generator, "build", "--strict", "--clean"], cwd=ROOT).returncode


def prepare(source: Path, target: Path) -> None:
    """Copies the pages to where the generator reads them."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    for page in target.rglob("*.md"):
        page.write_text(for_site(page.read_text(encoding="utf-8")), encoding="utf-8")


def for_site(text: str) -> str:
    """A page as the generator reads it; every line keeps its number."""
    return FENCE.sub(lambda found: f"{found[1]}{' '.join((found[2], *_shown(found[3])))}", text)


def _shown(options: str) -> list[str]:
    return TITLE.findall(options) or (['title="Output"'] if options == "output" else [])


if __name__ == "__main__":
    sys.exit(main())
