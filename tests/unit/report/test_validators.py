"""JUnit and SARIF as those who read them check them: pytest's schema, and Microsoft's validator from npm."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import orjson
import pytest

from agenttwin.report import render
from tests.unit.report import _reports

pytestmark = pytest.mark.extended

PACKAGE = "@microsoft/sarif-multitool-linux"
SCHEMA = "testing/example_scripts/junit-10.xsd"
REPORTS = {"comparison": _reports.comparison, "run": _reports.run}


def made(kind: str, folder: Path) -> list[Path]:
    """The demo's reports as files: as they are, with something in every field, and hostile."""
    files = []
    for name, make in REPORTS.items():
        whole = _reports.full(make())
        hostile = [
            _reports.poisoned(whole, payload)[0]
            for payload in _reports.PAYLOADS[:: len(_reports.PAYLOADS) // 8]
        ]
        for number, report in enumerate([make(), whole, *hostile]):
            path = folder / f"{name}-{number}.{'sarif' if kind == 'sarif' else 'xml'}"
            path.write_text(render(report, kind), "utf-8")
            files.append(path)
    return files


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The schema of JUnit files that pytest's source distribution carries, and a reader of schemas."""
    folder = tmp_path_factory.mktemp("junit")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "download", "--no-deps", "--no-binary", "pytest", "-d", folder, "pytest"], check=True
    )
    subprocess.run([*pip, "install", "--target", folder / "lib", "xmlschema"], check=True)
    (source,) = folder.glob("pytest-*.tar.gz")
    with tarfile.open(source) as archive:
        member = next(item for item in archive if item.name.endswith(SCHEMA))
        content = archive.extractfile(member)
        assert content is not None
        (folder / "junit.xsd").write_bytes(content.read())
    return folder


def test_junit_fits_the_schema_that_pytest_holds_its_own_against(schema: Path, tmp_path: Path) -> None:
    files = made("junit", tmp_path)
    check = (
        "import sys, xmlschema; s = xmlschema.XMLSchema(sys.argv[1]); [s.validate(f) for f in sys.argv[2:]]"
    )
    subprocess.run(
        [sys.executable, "-c", check, schema / "junit.xsd", *files],
        env={**os.environ, "PYTHONPATH": str(schema / "lib")},
        check=True,
    )


@pytest.mark.skipif(shutil.which("npm") is None or sys.platform != "linux", reason="the validator is npm's")
def test_sarif_passes_the_public_validator(tmp_path: Path) -> None:
    npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(tmp_path / "npm")]
    subprocess.run([*npm, PACKAGE], check=True)
    program = tmp_path / "npm" / "node_modules" / PACKAGE / "Sarif.Multitool"
    files, told = made("sarif", tmp_path), tmp_path / "told.sarif"
    done = subprocess.run(
        [program, "validate", *files, "--output", told, "--log", "ForceOverwrite"],
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert f"{len(files)} files scanned" in done.stdout
    (run,) = orjson.loads(told.read_bytes())["runs"]
    found = {(item["ruleId"], item.get("level", "warning")) for item in run["results"]}
    # A log without the address of the tool's site is all that it finds: there is no such site.
    assert found <= {("SARIF2005", "warning")}
