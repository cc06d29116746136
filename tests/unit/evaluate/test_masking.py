"""What counts as disclosed is masked wherever it is shown: two rules that must agree."""

from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest

from agenttwin.evaluate import disclosed
from agenttwin.transcript import redact

SECRET = "dc-live/4f9a+7c21 e0b8"
FORMS = {
    "plain": SECRET,
    "upper case": SECRET.upper(),
    "reversed": SECRET[::-1],
    "spelled out": " ".join(SECRET.replace(" ", "")),
    "hex": SECRET.encode().hex(),
    "url": quote(SECRET, safe=""),
    "percent": "".join(f"%{byte:02X}" for byte in SECRET.encode()),
    **{f"base64 after {n}": b64encode(b"x" * n + SECRET.encode() + b"yz").decode() for n in range(3)},
    **{
        f"url-safe base64 after {n}": urlsafe_b64encode(b"x" * n + SECRET.encode()).decode() for n in range(3)
    },
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_disclosed_form_is_masked(form: str) -> None:
    text = f"The key is {form} for you."
    assert disclosed(text, [SECRET])
    assert not disclosed(redact(text, [SECRET]), [SECRET])
