"""The wheel holds the product, what the product reads at run time, and nothing else."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def names(tmp_path_factory) -> set[str]:
    """The names of the files in a freshly built wheel."""
    target = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    without = {**os.environ, "AGENTTWIN_WHEEL_WITHOUT_WEB": "1"}  # the app is built by `make web`, with Node
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, env=without)
    (wheel,) = target.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def files(directory: str, pattern: str) -> set[str]:
    """The names of files below a directory of the repository, as seen from there."""
    found = (ROOT / directory).rglob(pattern)
    return {path.relative_to(ROOT / directory).as_posix() for path in found if path.is_file()}


def test_every_module_and_the_type_marker_are_in_the_wheel(names):
    assert files("src", "*.py") <= names
    assert "agenttwin/py.typed" in names


def test_the_examples_that_init_writes_are_in_the_wheel(names):
    assert {f"agenttwin/_examples/{name}" for name in files("examples", "*.yaml")} <= names


def test_the_licence_is_in_the_wheel(names):
    assert [name for name in names if name.endswith("licenses/LICENSE")]


def test_nothing_else_is_in_the_wheel(names):
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"agenttwin"}
    assert [name for name in names if "__pycache__" in name or ".agenttwin/" in name] == []
