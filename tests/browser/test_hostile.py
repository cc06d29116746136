"""Text from agents and worlds is text, whatever it says."""

import copy

import pytest
from playwright.sync_api import expect

from tests.browser._documents import Documents, served
from tests.browser.conftest import Screens

CALLS = ["window.alive=1", "alert(1)", "top.alive=1", "fetch('/alive')", "document.title='alive'"]
SHAPES = [
    "<script>{}</script>",
    "<img src=x onerror={}>",
    "<svg onload={}>",
    "<svg><script>{}</script></svg>",
    "<iframe srcdoc='<script>{}</script>'></iframe>",
    "<iframe src=\"javascript:{}\"></iframe>",
    "<a href=\"javascript:{}\" autofocus onfocus={}>x</a>",
    "<input autofocus onfocus={}>",
    "<details open ontoggle={}>",
    "<video><source onerror={}></video>",
    "<body onload={}>",
    "<style onload={}></style>",
    "<link rel=stylesheet href=x onerror={}>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror={}>",
    "\"><img src=x onerror={}>",
    "' onmouseover={} x='",
    "</textarea><script>{}</script>",
    "</title><script>{}</script>",
    "</script><script>{}</script>",
    "<!--><script>{}</script>-->",
    "<![CDATA[<script>{}</script>]]>",
    "<object data=\"javascript:{}\"></object>",
    "<embed src=\"javascript:{}\">",
    "<form action=\"javascript:{}\"><button>x</button></form>",
    "<meta http-equiv=refresh content=\"0;url=javascript:{}\">",
    "<base href=\"javascript:{}//\">",
    "javascript:{}",
    "data:text/html,<script>{}</script>",
    "{{{{constructor.constructor('{}')()}}}}",
    "${{{}}}",
    "`${{{}}}`",
    "[x](javascript:{})",
    "![x](x\"onerror=\"{})",
    "\u202e<script>{}</script>",
    "<scr\x00ipt>{}</scr\x00ipt>",
    "<IMG SRC=&#106;avascript:{}>",
    "<marquee onstart={}>",
    "<template><script>{}</script></template>",
    "<img/src='x'/onerror={}>",
    "&lt;script&gt;{}&lt;/script&gt;",
]  # fmt: skip
PAYLOADS = [shape.replace("{}", call) for shape in SHAPES for call in CALLS]
STRUCTURE = {
    "classification",
    "severity",
    "kind",
    "effect",
    "result",
    "verdict",
    "sign",
    "ending",
    "committed",
    "risk",
    "by",
}


def poisoned(value, payload, key=""):
    """The same document with the payload at the end of each of its texts that a person or an agent wrote."""
    if isinstance(value, dict):
        return {name: poisoned(part, payload, name) for name, part in value.items()}
    if isinstance(value, list):
        return [poisoned(part, payload, key) for part in value]
    return f"{value} {payload}" if isinstance(value, str) and key not in STRUCTURE else value


@pytest.fixture(scope="module")
def poisonous(comparisons):
    """The story's comparison with a case for each payload."""
    whole = copy.deepcopy(comparisons[0])
    model = whole["cases"][0]
    whole["cases"] = [
        {**poisoned(model, payload), "scenario": f"{payload} {number}"}
        for number, payload in enumerate(PAYLOADS)
    ]
    whole["manifest_diff"]["instructions"] = [{"sign": "+", "text": payload} for payload in PAYLOADS]
    whole["headline"] = PAYLOADS[0]
    whole["warnings"] = PAYLOADS[:20]
    with served(Documents([whole])) as base:
        yield base, whole


def test_there_are_two_hundred_payloads():
    assert len(set(PAYLOADS)) == 200


def test_no_payload_lives_in_the_list_or_in_its_case(chromium, poisonous):
    base, whole = poisonous
    screens = Screens(chromium, base)
    page = screens.open(f"/comparisons/{whole['measured']['id']}")
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: request.url.endswith("/alive") and dialogs.append(request.url))
    expect(page.locator(".changed")).to_contain_text(PAYLOADS[0])
    for case in whole["cases"]:
        path = page.evaluate(
            "([id, name]) => `/comparisons/${id}/cases/${encodeURIComponent(name)}`",
            [whole["measured"]["id"], case["scenario"]],
        )
        page.evaluate(
            "path => { history.pushState(null, '', path); dispatchEvent(new Event('popstate')); }",
            path + "#step-3",
        )
        page.locator("main h1.mono").wait_for()
        assert page.locator("main h1.mono").text_content() == case["scenario"].replace("\x00", "\x00")
        page.keyboard.press("Enter")
        page.locator(".step-open").wait_for()
        alive = page.evaluate("""() => [
            window.alive, ...document.querySelectorAll(
              "main script, main img, main iframe, main svg, main object, main embed, main style, main base, main meta, main [onerror], main [onload], main [onfocus], main a[href^=javascript]")
        ].filter(Boolean).length""")
        assert alive == 0, case["scenario"]
    assert dialogs == []
    screens.close()
