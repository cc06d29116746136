"""A server that asks for keys: signing in, projects, keys, how long runs are kept, who did what."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser._documents import serving
from tests.browser.conftest import Screens
from tests.browser.test_screens import violations


class SignedIn:
    """A server with sign-in over a copy of the demo, and the secret of its owner."""

    def __init__(self, root: Path, base: str) -> None:
        self.root, self.base = root, base
        command = [sys.executable, "-m", "agenttwin.cli", "keys", "create", "boss", "--scope", "owner"]
        self.owner = subprocess.run(
            command, cwd=root, capture_output=True, text=True, check=True
        ).stdout.strip()


@pytest.fixture
def locked(workspace, comparisons, tmp_path) -> Iterator[SignedIn]:
    root = tmp_path / "demo"
    shutil.copytree(workspace, root)
    first = [sys.executable, "-m", "agenttwin.cli", "keys", "create", "first", "--scope", "owner"]
    subprocess.run(first, cwd=root, capture_output=True, check=True)
    with serving(root, "--sign-in") as base:
        yield SignedIn(root, base)


def signed_in(page: Page, secret: str) -> None:
    page.get_by_label("Key", exact=True).fill(secret)
    page.get_by_role("button", name="Open").click()


def opened(screens: Screens, path: str, secret: str) -> Page:
    page = screens.open(path)
    signed_in(page, secret)
    page.locator("main h1", has_text=re.compile("^(?!AgentTwin$)")).wait_for()
    return page


@pytest.fixture
def locked_screens(chromium, locked) -> Iterator[Screens]:
    found = Screens(chromium, locked.base)
    yield found
    found.troubles = [
        told for told in found.troubles if "401" not in told
    ]  # the browser tells of each refusal
    found.close()


def test_without_a_key_nothing_is_shown_and_with_one_everything(locked_screens, locked) -> None:
    page = locked_screens.open("/settings")
    expect(page.get_by_text("This server wants a key.")).to_be_visible()
    assert "support-refund" not in page.content()
    signed_in(page, "atk_wrong")
    expect(page.get_by_text("That key is not valid here.")).to_be_visible()
    signed_in(page, locked.owner)
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    expect(page.get_by_text("every request needs one")).to_be_visible()


def test_a_key_is_made_shown_once_and_revoked(locked_screens, locked) -> None:
    page = opened(locked_screens, "/settings", locked.owner)
    page.get_by_label("Name of the new key").fill("ci")
    page.get_by_label("write", exact=True).check()
    page.get_by_role("button", name="New key").click()
    expect(page.get_by_text("The secret of ci, shown this once:")).to_be_visible()
    secret = re.search(r"atk_[0-9a-f]{64}", page.content())
    assert secret
    row = page.get_by_role("row").filter(has_text="ci")
    expect(row.first).to_contain_text("read, write")
    other = opened(locked_screens, "/settings", secret[0])
    expect(other.get_by_text("need a key with the scope admin")).to_be_visible()
    page.reload()
    assert secret[0] not in page.content()
    page.get_by_role("button", name="Revoke ci").click()
    expect(page.get_by_role("row").filter(has_text="ci").get_by_text("revoked").first).to_be_visible()
    other.reload()
    expect(other.get_by_text("That key is not valid here.")).to_be_visible()
    entries = page.get_by_role("region", name="Entries of the audit log")
    expect(entries).to_contain_text("key.created")
    expect(entries).to_contain_text("key.revoked")
    expect(entries.get_by_role("row").nth(1)).to_contain_text("boss")


def test_a_project_is_made_entered_and_keeps_its_runs_for_so_long(locked_screens, locked) -> None:
    page = opened(locked_screens, "/settings", locked.owner)
    page.get_by_label("Name of the new project").fill("web")
    page.get_by_role("button", name="New project").click()
    row = page.get_by_role("region", name="Projects").get_by_role("listitem").filter(has_text="web")
    row.get_by_label(re.compile("keep results for")).fill("30")
    page.get_by_role("button", name="Save the retention of web").click()
    expect(page.get_by_role("button", name="Save the retention of web")).to_be_disabled()
    page.reload()
    expect(row.get_by_label(re.compile("keep results for"))).to_have_value("30")
    page.get_by_label("Project", exact=True).select_option("web")
    page.wait_for_url("**project=web**")
    expect(page.locator("main")).not_to_contain_text("new critical failure")
    page.get_by_role("link", name="Comparisons").click()
    page.wait_for_url("**/comparisons?project=web")
    page.get_by_label("Project", exact=True).select_option("default")
    expect(page.locator("main")).to_contain_text(re.compile("critical"))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_settings_are_for_everybody(locked_screens, locked, theme: str, width: int) -> None:
    page = locked_screens.open("/settings", theme=theme, width=width)
    assert violations(page) == []
    signed_in(page, locked.owner)
    page.get_by_role("heading", name="Audit log").wait_for()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
