"""Runs as somebody watches them: what one version did, progress that moves, cancel, run again."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from tests.browser._documents import agenttwin, serving
from tests.browser.conftest import Screens

SLOW = """
import time

from agent import run as quick


def run(request, tools):
    time.sleep(0.5)
    return quick(request, tools)
"""


@pytest.fixture
def own(chromium, comparisons, workspace, tmp_path):
    """Screens of a server over a workspace of the test's own, where one version was run alone."""
    folder = shutil.copytree(workspace, tmp_path / "demo")
    agenttwin(["run", "1.3.0"], folder)
    with serving(folder) as base:
        screens = Screens(chromium, base)
        yield screens
        screens.close()


@pytest.fixture
def slow(chromium, comparisons, workspace, tmp_path):
    """The same agent, which takes its time over every case, so that there is something to watch."""
    folder = shutil.copytree(workspace, tmp_path / "demo")
    (folder / "slow.py").write_text(SLOW, "utf-8")
    file = folder / "agenttwin.yaml"
    file.write_text(file.read_text("utf-8").replace("agent:run", "slow:run"), "utf-8")
    with serving(folder) as base:
        screens = Screens(chromium, base)
        yield screens
        screens.close()


def begin(page):
    page.get_by_role("button", name="Start a comparison").click()
    form = page.get_by_label("Start a comparison")
    form.get_by_label("Baseline").select_option("1.2.4")
    form.get_by_label("Candidate").select_option("1.3.0")
    form.get_by_label("Seed").fill("12")
    form.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/pairs/*")


def test_from_a_run_to_one_of_its_cases_with_what_was_said_and_what_was_done(own):
    page = own.open("/runs")
    page.get_by_label("Versions run").get_by_role("link", name=re.compile("1.3.0")).first.click()
    page.wait_for_url(re.compile("/runs/[^/]+$"))
    page.get_by_role("link", name="refund-timeout-after-mutation").click()
    page.wait_for_url("**/cases/refund-timeout-after-mutation")
    both = page.get_by_label("Claimed and happened")
    expect(both.locator(".claimed")).to_have_count(1)
    expect(both.locator(".happened")).to_contain_text("refund_count")
    expect(page.locator(".solo-verdict")).to_contain_text("failed")
    steps = page.get_by_label("What it did")
    expect(steps).to_contain_text("applied again")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    assert page.url.endswith("#step-2")
    told = "the dependency executed it; the caller saw a timeout"
    expect(page.locator("#step-2 .step-open")).to_contain_text(told)
    expect(page.get_by_label("Expectations").locator("li.worse").first).to_contain_text("failed")
    expect(page.get_by_role("button", name=re.compile("^Override"))).to_have_count(0)
    page.reload()
    expect(page.locator("#step-2")).to_have_attribute("aria-current", "step")
    page.keyboard.press("u")
    page.wait_for_url(re.compile("/runs/[^/]+$"))


def test_a_version_is_run_again_from_its_screen(own):
    page = own.open("/runs")
    page.get_by_label("Versions run").get_by_role("link", name=re.compile("1.3.0")).first.click()
    page.wait_for_url(re.compile("/runs/[^/]+$"))
    first = page.url
    page.get_by_role("button", name="Run again").click()
    page.wait_for_function("first => location.href !== first", arg=first)
    expect(page.locator(".title")).to_contain_text("finished", timeout=30_000)
    expect(page.get_by_label("Cases of this run").get_by_role("row")).to_have_count(10)


def test_progress_is_seen_to_move_without_a_reload(slow):
    page = slow.open("/runs")
    begin(page)
    page.evaluate("window.same = true; window.seen = []")
    page.evaluate(
        """new MutationObserver(() => {
            const bar = document.querySelector("progress");
            if (bar && window.seen.at(-1) !== bar.value) window.seen.push(bar.value);
        }).observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true})"""
    )
    expect(page.get_by_role("link", name="See the comparison")).to_be_visible(timeout=60_000)
    seen = page.evaluate("window.seen")
    assert page.evaluate("window.same")
    assert len(seen) >= 2  # cases are told of as they are kept, some at a time
    assert seen == sorted(seen)


def test_what_runs_is_cancelled_and_taken_up_again_to_its_end(slow):
    page = slow.open("/runs")
    begin(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".title")).to_contain_text("cancelled", timeout=30_000)
    done, total = map(int, re.findall(r"\d+", page.locator("section.card .num").first.inner_text()))
    assert done < total == 18
    expect(page.get_by_role("link", name="See the comparison")).to_have_count(0)
    page.get_by_role("button", name="Run again").click()
    page.wait_for_url("**/runs/pairs/*")
    expect(page.get_by_role("link", name="See the comparison")).to_be_visible(timeout=60_000)
    expect(page.locator("main")).to_contain_text("18 of 18")


def test_a_scenario_shows_its_versions_and_how_it_came_out(own):
    page = own.open("/scenarios/refund-timeout-after-mutation")
    version = page.get_by_label("Versions").get_by_role("listitem")
    expect(version).to_have_count(1)
    expect(version).to_contain_text("now")
    version.locator("summary").click()
    expect(version.locator("pre")).to_contain_text("refund-timeout-after-mutation")
    expect(page.get_by_label("Results, newest first").get_by_role("row")).to_have_count(7)
