"""The site builds without a warning, asks no other host for anything, and a wrong link stops it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs._page import ROOT
from tools.site import for_site, prepare


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Builds the site of a folder that holds docs/."""
    prepare(folder / "docs", folder / "build" / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    generator = Path(sys.executable).with_name("zensical")
    return subprocess.run(
        [generator, "build", "--strict"], cwd=folder, env=os.environ, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs")
    return folder


def test_the_site_builds_without_a_warning(folder):
    done = build(folder)
    assert done.returncode == 0, done.stderr
    pages = sorted(path.relative_to(folder / "docs") for path in (folder / "docs").rglob("*.md"))
    assert [page for page in pages if not (folder / "build/site" / page.with_suffix(".html")).exists()] == []


def test_a_page_asks_no_other_host_for_anything(folder):
    build(folder)
    loaded = re.compile(r"""<(?:script|img|link|iframe)[^>]*(?:src|href)="?(https?:)?//""")
    assert [
        page.name for page in (folder / "build/site").rglob("*.html") if loaded.search(page.read_text())
    ] == []


def test_no_page_draws_with_what_is_fetched(folder):
    """The theme would load the drawing of such a block from another host."""
    assert [page.name for page in (folder / "docs").rglob("*.md") if "```mermaid" in page.read_text()] == []


def test_every_page_stands_in_the_navigation():
    text = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    named = set(re.findall(r'"([a-z/-]+\.md)"', text))
    assert named == {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}


def test_a_link_to_nowhere_stops_the_build(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    page = tmp_path / "docs" / "index.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n[gone](reference/gone.md)\n", encoding="utf-8")
    done = build(tmp_path)
    assert done.returncode != 0
    assert "does not exist" in done.stdout + done.stderr


def test_fences_keep_what_the_site_shows():
    assert for_site('```yaml title="twin.yaml"\n') == '```yaml title="twin.yaml"\n'
    assert for_site("```console exit=1\n$ false\n```\n") == "```console\n$ false\n```\n"
    assert for_site("```text output\n1\n```\n") == '```text title="Output"\n1\n```\n'
    assert for_site("```python\n1\n```\n") == "```python\n1\n```\n"
