"""Every screen of the app by name, with its address.

`{comparison}` is the demo's first, `{run}` its candidate's side.
"""

import json
from urllib.request import urlopen

SCREENS = {
    "home": "/",
    "comparisons": "/comparisons",
    "comparison": "/comparisons/{comparison}",
    "case": "/comparisons/{comparison}/cases/refund-timeout-after-mutation",
    "case-open": "/comparisons/{comparison}/cases/refund-timeout-after-mutation#step-3",
    "case-lie": "/comparisons/{comparison}/cases/refund-tool-success-lie",
    "runs": "/runs",
    "pair": "/runs/pairs/{comparison}",
    "run": "/runs/{run}",
    "run-case": "/runs/{run}/cases/refund-timeout-after-mutation#step-2",
    "scenarios": "/scenarios",
    "scenario": "/scenarios/refund-timeout-after-mutation",
    "twins": "/twins",
    "twin": "/twins/demo-co-support",
    "agents": "/agents",
    "agent": "/agents/support-refund-agent",
    "settings": "/settings",
}


def address(name: str, comparison: str, base: str) -> str:
    """Where a screen is, on the server at ``base``."""
    path = SCREENS[name]
    if "{run}" not in path:
        return path.format(comparison=comparison)
    with urlopen(f"{base}/api/v1/runs?limit=200") as answer:
        runs = json.load(answer)["items"]
    (run,) = [one["id"] for one in runs if (one["pair"], one["side"]) == (comparison, "candidate")]
    return path.format(run=run)


def prepare(name: str, page) -> None:
    """Brings a screen into the state that its name promises."""
    if name in ("case-open", "run-case"):
        page.keyboard.press("Enter")
        page.locator(".step-open").wait_for()
