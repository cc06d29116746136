"""What stands in the repository is meant for everybody who reads it, on whatever machine."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))

HOSTS = r"pypi\.org|pythonhosted\.org|npmjs\.(org|com)|yarnpkg\.com|deb\.debian\.org"
MACHINE = r"(?<![\w.])/(work|root|home|Users)/|/tmp/\w|/opt/\w|file://"
MAKING_OF = r"(?i:\bissue #?\d|\bsemantics \d|shared/design)|\bTODO\b|\bFIXME\b|\bXXX\b"


def tracked() -> Iterator[tuple[str, str]]:
    """Name and text of every text file under version control."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        data = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b""
        if b"\0" not in data and ROOT / name != Path(__file__):
            yield name, data.decode()


def lines_with(pattern: str) -> list[str]:
    found = re.compile(pattern)
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in tracked()
        for number, line in enumerate(text.splitlines(), start=1)
        if found.search(line)
    ]


def test_no_file_names_a_package_host():
    assert lines_with(HOSTS) == []


def test_no_file_names_a_path_of_one_machine():
    assert lines_with(MACHINE) == []


def test_no_file_tells_how_it_came_about():
    assert lines_with(MAKING_OF) == []


def test_every_module_says_what_it_is():
    silent = [module for module in MODULES if not ast.get_docstring(ast.parse(module.read_text("utf-8")))]
    assert [str(module.relative_to(ROOT)) for module in silent] == []
