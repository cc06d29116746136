"""Every screen, in both themes, wide and narrow: readable by everybody, and nothing goes wrong."""

import pytest

from tests.browser._documents import ROOT
from tests.browser._screens import SCREENS, address, prepare

AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
RULES = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})"


def violations(page) -> list[str]:
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(RULES)["violations"]
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]
    ]


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_accessible_and_fits(screens, server, comparisons, name, theme, width):
    path = address(name, comparisons[0]["measured"]["id"], server)
    page = screens.open(path, theme=theme, width=width)
    prepare(name, page)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
