"""`python -m tests.browser.screenshots`: a picture of every screen, in both themes, wide and narrow."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser._documents import ROOT, agenttwin, serving
from tests.browser._screens import SCREENS, address, prepare
from tests.browser.conftest import CHROMIUM, FLAGS, Screens

TARGET = ROOT / "build/screenshots"
VERSIONS = (("1.2.4", "1.3.1"), ("1.3.0", "1.3.1"), ("1.2.4", "1.3.0"))


def main(names: list[str]) -> None:
    """Writes the pictures of the named screens, or of all."""
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        workspace = Path(folder) / "demo"
        agenttwin(["demo", "--keep", str(workspace)], workspace.parent)
        found = []
        for before, after in VERSIONS:
            report = Path(folder) / "report.json"
            agenttwin(["compare", before, after, "--report", f"json={report}"], workspace)
            found.append(json.loads(report.read_text("utf-8")))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with serving(workspace) as base:
            screens = Screens(browser, base)
            for name in names or SCREENS:
                for theme in ("light", "dark"):
                    for width in (1440, 390):
                        path = address(name, found[-1]["measured"]["id"], base)
                        page = screens.open(path, theme=theme, width=width)
                        prepare(name, page)
                        page.screenshot(path=TARGET / f"{name}-{theme}-{width}.png", full_page=True)
            screens.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
