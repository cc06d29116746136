"""What a person does on the screen, and the server carries out."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from tests.browser._documents import serving
from tests.browser.conftest import Screens


@pytest.fixture
def own(chromium, comparisons, workspace, tmp_path):
    """Screens of a server over a workspace that this test may change."""
    with serving(shutil.copytree(workspace, tmp_path / "demo")) as base:
        screens = Screens(chromium, base)
        yield screens
        screens.close()


def test_an_override_with_a_note_changes_the_class_and_keeps_the_original(own, comparison):
    page = own.open(f"{comparison}/cases/refund-happy-path")
    expect(page.locator(".case-title")).to_contain_text("regressed")
    page.get_by_role("button", name="Override policy-before-refund on 1.3.0").click()
    form = page.get_by_role("form", name="Override policy-before-refund on 1.3.0")
    expect(form.get_by_role("button", name="Set the result")).to_be_disabled()
    form.get_by_label(re.compile("Why?")).fill("The policy is cached since July.")
    form.get_by_role("button", name="Set the result").click()
    expect(page.locator(".case-title")).to_contain_text("unchanged")
    held = page.locator(".expectations li", has_text="policy-before-refund").locator(".overridden")
    expect(held).to_contain_text("(was failed): The policy is cached since July.")
    page.get_by_role("link", name=re.compile("← support-refund-agent")).click()
    expect(page.get_by_role("button", name=re.compile("2 new critical failures"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("regression"))).to_have_count(0)


def test_a_comparison_is_started_and_watched_to_its_end(own):
    page = own.open("/runs")
    page.get_by_role("button", name="Start a comparison").click()
    form = page.get_by_label("Start a comparison")
    form.get_by_label("Baseline").select_option("1.2.4")
    form.get_by_label("Candidate").select_option("1.3.0")
    form.get_by_label("Seed").fill("11")
    form.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/pairs/*")
    expect(page.get_by_role("link", name="See the comparison")).to_be_visible(timeout=30_000)
    page.get_by_role("link", name="See the comparison").click()
    expect(page.get_by_role("button", name=re.compile("2 new critical failures"))).to_be_visible()
    expect(page.locator("main")).to_contain_text("seed 11")


def test_a_twin_is_called_by_hand_with_a_fault_and_its_world_changes(own):
    page = own.open("/twins/demo-co-support")
    page.get_by_role("button", name="Open a console").click()
    console = page.get_by_label("Console", exact=True)
    console.get_by_label("Tool").select_option("refund_payment")
    console.get_by_label("Arguments").fill('{"order_id": "ORD-1001", "amount": 40}')
    console.get_by_label("Fault for this call").select_option("timeout_after_mutation")
    console.get_by_role("button", name="Call").click()
    expect(console.get_by_role("listitem")).to_contain_text("504")
    expect(console.get_by_role("listitem")).to_contain_text("applied")
    expect(console.get_by_label("The world now")).to_contain_text("refunds [1]")


def test_a_report_is_exported_under_a_name(own, comparison):
    page = own.open(comparison)
    page.locator(".menu summary").click()
    with page.expect_download() as saved:
        page.locator(".menu").get_by_role("button", name="markdown").click()
    assert saved.value.suggested_filename.endswith(".md")
    assert "refund-timeout-after-mutation" in saved.value.path().read_text("utf-8")
