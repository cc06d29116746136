"""What happens elsewhere comes to the screen, and only to those with a key where one is wanted."""

from playwright.sync_api import expect

from tests.browser._documents import Documents, served
from tests.browser.conftest import Screens


def test_a_comparison_that_ends_elsewhere_appears_without_a_reload(chromium, comparisons):
    newest, older, _ = comparisons
    documents = Documents([older])
    with served(documents) as base:
        screens = Screens(chromium, base)
        page = screens.open("/")
        page.evaluate("window.same = true")
        expect(page.get_by_label("Latest comparison")).to_contain_text("3 improved")
        documents.comparisons = {one["measured"]["id"]: one for one in (newest, older)}
        documents.events.append("pair.finished")
        expect(page.get_by_label("Latest comparison")).to_contain_text("2 new critical failures")
        assert page.evaluate("window.same")
        screens.close()


def test_where_a_key_is_wanted_the_app_asks_for_it_and_forgets_it_with_the_tab(
    chromium, comparisons, workspace
):
    with served(Documents(comparisons, key="atk_right")) as base:
        page = chromium.new_page()
        page.goto(base)
        page.get_by_label("Key").fill("atk_wrong")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("alert")).to_contain_text("That key is not valid here.")
        page.get_by_label("Key").fill("atk_right")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_label("Latest comparison")).to_contain_text("2 new critical failures")
        assert page.evaluate("Object.keys(localStorage)") == []
        page.close()
