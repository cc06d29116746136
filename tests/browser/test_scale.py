"""Ten thousand cases, and two hundred calls in one: the screen stays quick."""

import copy
import gzip

import pytest

from tests.browser._documents import WEB, Documents, served
from tests.browser.conftest import Screens

CASES = 10_000
CALLS = 200
FIRST_PAINT_MS = 1_500
LONGEST_TASK_MS = 100
FIRST_SCREEN_BYTES = 300_000
WATCH = """
window.longest = 0;
new PerformanceObserver((list) => list.getEntries().forEach((task) => { window.longest = Math.max(window.longest, task.duration); }))
  .observe({type: "longtask"});
"""


USEFUL = """
new MutationObserver((_, watch) => {
  if (document.querySelector(".case-row"))
    requestAnimationFrame(() => { window.useful ??= performance.now(); watch.disconnect(); });
}).observe(document, {subtree: true, childList: true});
"""
BLOCK = """
new Promise((done) => setTimeout(() => {
  const end = performance.now() + 150;
  while (performance.now() < end);
  setTimeout(done, 100);
}))
"""


def watched(page) -> None:
    """Watches for long tasks, and holds that the watch sees one; then the measure begins anew."""
    page.evaluate(WATCH)
    page.evaluate(BLOCK)
    assert page.evaluate("window.longest") > LONGEST_TASK_MS
    page.evaluate("window.longest = 0")


@pytest.fixture(scope="module")
def big(comparisons):
    whole = copy.deepcopy(comparisons[0])
    whole["cases"] = [{**whole["cases"][n % 9], "scenario": f"case-{n:05}"} for n in range(CASES)]
    long = copy.deepcopy(whole["cases"][0])
    for side in ("baseline", "candidate"):
        call = long[side]["calls"][0]
        long[side]["calls"] = [{**call, "seq": seq + 1} for seq in range(CALLS)]
    step = long["alignment"][0]["baseline"]
    rows = [{**step, "step": seq + 1, "call": seq + 1} for seq in range(CALLS)]
    long["alignment"] = [{"baseline": row, "candidate": row, "same": row["step"] != 150} for row in rows]
    long["divergence"] = {**long["divergence"], "step": 150}
    whole["cases"][0] = {**long, "scenario": "case-00000"}
    whole["counts"] = {**whole["counts"], "UNCHANGED": CASES - 3}
    with served(Documents([whole])) as base:
        yield base, f"/comparisons/{whole['measured']['id']}"


@pytest.fixture
def pages(chromium, big):
    screens = Screens(chromium, big[0])
    yield screens
    screens.close()


def test_ten_thousand_cases_paint_soon_and_scroll_without_long_tasks(pages, big):
    page = pages.open("/comparisons")  # the server has answered once
    page.add_init_script(USEFUL)
    page.goto(big[0] + big[1])
    page.locator(".case-row").first.wait_for()
    page.wait_for_function("window.useful !== undefined")
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert painted < FIRST_PAINT_MS
    assert page.evaluate("window.useful") < FIRST_PAINT_MS
    watched(page)
    page.locator(".cases").hover()
    for _ in range(60):
        page.mouse.wheel(0, 800)
        page.wait_for_timeout(30)
    assert page.evaluate("document.querySelector('.cases').scrollTop") > 20_000
    assert page.locator(".case-row").count() < 60
    assert page.evaluate("window.longest") < LONGEST_TASK_MS


def test_two_hundred_calls_are_walked_without_long_tasks(pages, big):
    page = pages.open(f"{big[1]}/cases/case-00000")
    assert page.locator("[id^=step-]").count() == CALLS
    watched(page)
    page.keyboard.press("n")
    assert page.url.endswith("#step-150")
    for _ in range(30):
        page.keyboard.press("j")
    assert page.url.endswith("#step-180")
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(700, 500)
    for _ in range(20):
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(30)
    assert page.evaluate("scrollY") > 3_000
    assert page.evaluate("window.longest") < LONGEST_TASK_MS


def test_the_first_screen_is_small(pages, big):
    page = pages.open(big[1])
    page.locator(".case-row").first.wait_for()
    fetched = page.evaluate("performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)")
    files = {name for name in fetched if (WEB / name[1:]).is_file()} | {"/index.html"}
    assert len(files) >= 4
    assert sum(len(gzip.compress((WEB / name[1:]).read_bytes())) for name in files) < FIRST_SCREEN_BYTES
