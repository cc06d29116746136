"""Every screen of the app by name, with its address; `{comparison}` is the demo's first."""

SCREENS = {
    "home": "/",
    "comparisons": "/comparisons",
    "comparison": "/comparisons/{comparison}",
    "case": "/comparisons/{comparison}/cases/refund-timeout-after-mutation",
    "case-open": "/comparisons/{comparison}/cases/refund-timeout-after-mutation#step-3",
    "case-lie": "/comparisons/{comparison}/cases/refund-tool-success-lie",
    "runs": "/runs",
    "pair": "/runs/pairs/{comparison}",
    "scenarios": "/scenarios",
    "scenario": "/scenarios/refund-timeout-after-mutation",
    "twins": "/twins",
    "twin": "/twins/demo-co-support",
    "agents": "/agents",
    "agent": "/agents/support-refund-agent",
    "settings": "/settings",
}


def prepare(name: str, page) -> None:
    """Brings a screen into the state that its name promises."""
    if name == "case-open":
        page.keyboard.press("Enter")
        page.locator(".step-open").wait_for()
