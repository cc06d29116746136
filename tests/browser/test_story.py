"""The story of the README, as somebody meets it on the screen."""

import re

from playwright.sync_api import expect


def test_from_the_first_page_to_two_refunds_against_one(screens):
    page = screens.open("/")
    expect(page.get_by_label("Latest comparison")).to_contain_text("2 new critical failures")
    page.get_by_role("link", name=re.compile("support-refund-agent 1.2.4 → 1.3.0")).first.click()
    cases = page.get_by_label("List of cases")
    expect(cases.get_by_role("link")).to_have_count(9)
    expect(cases.get_by_role("link").first).to_contain_text("refund-timeout-after-mutation")
    cases.get_by_role("link", name=re.compile("refund-timeout-after-mutation")).click()
    both = page.get_by_label("Claimed and happened")
    expect(both).to_contain_text("identical")
    expect(both.locator(".claimed")).to_have_count(2)
    counts = both.locator(".apart", has_text="refund_count").locator("dd")
    expect(counts).to_have_text(["1", "2"])
    page.keyboard.press("n")
    assert page.url.endswith("#step-2")
    here = page.locator("#step-2")
    expect(here).to_contain_text("They part here.")
    expect(here).to_contain_text("get_refund_policy")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    opened = page.locator("#step-3 .step-open")
    expect(opened).to_contain_text("the dependency executed it; the caller saw a timeout")
    expect(opened).to_contain_text("orders.ORD-1001.refund_count")


def test_an_address_of_a_step_opens_at_that_step(screens, comparison):
    page = screens.open(f"{comparison}/cases/refund-timeout-after-mutation#step-5")
    expect(page.locator("#step-5")).to_have_attribute("aria-current", "step")
    expect(page.locator("#step-5")).to_contain_text("applied again")
    page.keyboard.press("k")
    assert page.url.endswith("#step-4")


def test_on_a_narrow_screen_the_sides_are_two_tabs_that_keep_the_step(screens, comparison):
    page = screens.open(f"{comparison}/cases/refund-timeout-after-mutation#step-3", width=390)
    step = page.locator("#step-3")
    expect(step.locator(".side-candidate").first).to_be_visible()
    expect(step.locator(".side-baseline").first).to_be_hidden()
    page.get_by_role("button", name="1.2.4 baseline").click()
    expect(step.locator(".side-baseline").first).to_be_visible()
    expect(step.locator(".side-candidate").first).to_be_hidden()
    expect(step).to_have_attribute("aria-current", "step")


def test_cases_are_filtered_by_class_and_by_words(screens, comparison):
    page = screens.open(comparison)
    cases = page.get_by_label("List of cases")
    page.get_by_role("button", name=re.compile("1 regression")).click()
    expect(cases.get_by_role("link")).to_have_count(1)
    expect(cases).to_contain_text("refund-happy-path")
    page.get_by_role("button", name=re.compile("1 regression")).click()
    page.get_by_label("Find a case by its words").fill("lie")
    expect(cases.get_by_role("link")).to_have_count(1)
    assert "q=lie" in page.url


def test_keys_lead_through_the_app(screens):
    page = screens.open("/settings")
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page.get_by_role("heading", level=1)).to_have_text("Comparisons")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("go to comparisons")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.get_by_label("Search for a comparison, scenario, twin or agent").fill("tool-success")
    expect(
        page.get_by_role("dialog").get_by_role("button", name=re.compile("refund-tool-success-lie"))
    ).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("refund-tool-success-lie")


def test_a_chosen_theme_stays_and_is_there_before_the_first_paint(screens):
    page = screens.open("/", theme="light")
    page.get_by_role("button", name="Theme: system. Change it").click()
    page.get_by_role("button", name="Theme: light. Change it").click()
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    blocking = page.locator("head script[src='/theme.js']")
    assert blocking.get_attribute("type") is None
    assert blocking.get_attribute("defer") is None


def test_a_problem_of_a_scenario_is_told_by_its_line_as_one_types(screens):
    page = screens.open("/scenarios/refund-timeout-after-mutation")
    wrong = "    - {id: twice, type: stat}"
    source = page.get_by_label("Source of the scenario")
    source.press("Control+End")
    page.keyboard.insert_text(wrong)
    problems = page.get_by_label("Problems")
    expect(problems).to_contain_text("stat")
    problems.get_by_role("button").first.click()
    chosen = source.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)")
    assert chosen == wrong


def test_what_is_not_there_is_said_with_what_to_do(chromium, server):
    page = chromium.new_page()
    page.goto(f"{server}/comparisons/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("Use an id that the list of comparisons shows")
    page.close()
