"""A person's word over a result."""

import re
import shutil

from playwright.sync_api import expect

from tests.browser._documents import Documents, served
from tests.browser.conftest import Screens


def test_an_override_with_a_note_changes_the_class_and_keeps_the_original(
    chromium, comparisons, workspace, tmp_path
):
    own = shutil.copytree(workspace, tmp_path / "demo")
    story = comparisons[0]
    with served(Documents([story], own)) as base:
        screens = Screens(chromium, base)
        page = screens.open(f"/comparisons/{story['measured']['id']}/cases/refund-happy-path")
        expect(page.locator(".case-title")).to_contain_text("regressed")
        page.get_by_role("button", name="Override policy-before-refund on 1.3.0").click()
        form = page.get_by_role("form", name="Override policy-before-refund on 1.3.0")
        expect(form.get_by_role("button", name="Set the result")).to_be_disabled()
        form.get_by_label(re.compile("Why?")).fill("The policy is cached since July.")
        form.get_by_role("button", name="Set the result").click()
        expect(page.locator(".case-title")).to_contain_text("unchanged")
        held = page.locator(".expectations li", has_text="policy-before-refund").locator(".overridden")
        expect(held).to_contain_text("Overridden by local (was failed): The policy is cached since July.")
        page.get_by_role("link", name=re.compile("← support-refund-agent")).click()
        expect(page.get_by_role("button", name=re.compile("2 new critical failures"))).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("regression"))).to_have_count(0)
        screens.close()
