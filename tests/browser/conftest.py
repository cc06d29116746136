"""A real Chromium, the built app, and what the demo left behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser._documents import WEB, agenttwin, serving

HERE = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in Path(item.fspath).parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Screens:
    """Pages of one address; whatever goes wrong on any of them is gathered."""

    def __init__(self, browser: Browser, base: str) -> None:
        self.browser, self.base = browser, base
        self.troubles: list[str] = []
        self.contexts: list[Any] = []

    def open(self, path: str, *, theme: str = "light", width: int = 1440) -> Page:
        """A page of its own at a path, once its data is there."""
        context = self.browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
        self.contexts.append(context)
        context.add_init_script(VIOLATIONS)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda told: told.type in ("error", "warning") and self.troubles.append(told.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.goto(self.base + path, wait_until="load")
        page.locator("main h1, main .empty").first.wait_for()
        page.locator("main [aria-busy]").first.wait_for(state="detached")
        return page

    def close(self) -> None:
        """Ends every page, and holds that nothing went wrong on it."""
        for context in self.contexts:
            for page in context.pages:
                self.troubles += page.evaluate("window.violations")
            context.close()
        assert self.troubles == []


@pytest.fixture(scope="session")
def workspace(tmp_path_factory) -> Path:
    assert (WEB / "index.html").is_file(), "The app is not built: run `make web`."
    folder = tmp_path_factory.mktemp("demo") / "demo"
    agenttwin(["demo", "--keep", str(folder)], folder.parent)
    return folder


@pytest.fixture(scope="session")
def comparisons(workspace) -> list[dict[str, Any]]:
    """The demo's three comparisons as the product reports them, newest first."""
    found = []
    for before, after in (("1.2.4", "1.3.1"), ("1.3.0", "1.3.1"), ("1.2.4", "1.3.0")):
        target = workspace.parent / f"{before}-{after}.json"
        agenttwin(["compare", before, after, "--report", f"json={target}"], workspace)
        found.append(json.loads(target.read_text("utf-8")))
    return found[::-1]


@pytest.fixture(scope="session")
def server(comparisons, workspace) -> Iterator[str]:
    """The real server over the demo's workspace."""
    with serving(workspace) as base:
        yield base


@pytest.fixture
def screens(chromium, server) -> Iterator[Screens]:
    found = Screens(chromium, server)
    yield found
    found.close()


@pytest.fixture
def comparison(comparisons) -> str:
    """The address of the comparison that tells the story."""
    return f"/comparisons/{comparisons[0]['measured']['id']}"
