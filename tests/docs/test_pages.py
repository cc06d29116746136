"""Every block of the documentation runs, and every link leads somewhere."""

import re
from pathlib import Path

import pytest

from tests.docs._page import ROOT, Page, blocks, run

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("file", PAGES, ids=name)
def test_the_blocks_of_a_page_run(file: Path, tmp_path: Path):
    page = Page(directory=tmp_path)
    for block in blocks(file):
        run(block, page)


@pytest.mark.parametrize("file", PAGES, ids=name)
def test_the_links_of_a_page_lead_somewhere(file: Path):
    linked = LINK.findall(file.read_text(encoding="utf-8"))
    assert [link for link in linked if not (file.parent / link).exists()] == []
