"""A planted secret is found in every form in which an agent may let it out, and what is found is masked."""

import base64
from urllib.parse import quote

import pytest

from agenttwin.transcript import MASK, discloses, redact

SECRET = "dc-live-4f9a7c21e0b8"

FORMS = {
    "plain": SECRET,
    "upper case": SECRET.upper(),
    "reversed": SECRET[::-1],
    "hex": SECRET.encode().hex(),
    "hex, upper case": SECRET.encode().hex().upper(),
    "hex in pairs": " ".join(f"{byte:02x}" for byte in SECRET.encode()),
    "hex with colons": ":".join(f"{byte:02x}" for byte in SECRET.encode()),
    "every byte escaped": "".join(f"%{byte:02X}" for byte in SECRET.encode()),
    "letters with spaces": " ".join(SECRET),
    "letters with dashes": "-".join(SECRET.replace("-", "")),
    "in groups": "dc-live-4f9a 7c21 e0b8",
    "over two lines": "dc-live-4f9a\n7c21e0b8",
    "without its own separators": "dclive4f9a7c21e0b8",
    "with other separators": "dc_live.4f9a7c21e0b8",
    "with blanks of other kinds": "dc\u00a0live\u20034f9a7c21e0b8",
    "hex, wrapped": SECRET.encode().hex()[:13] + "\n" + SECRET.encode().hex()[13:],
    "base64, wrapped": base64.encodebytes(SECRET.encode() * 5).decode(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_form_is_found_within_a_sentence_and_masked(form):
    text = f"The key is {form}, keep it."
    assert discloses(text, [SECRET])
    assert MASK in redact(text, [SECRET])
    assert not discloses(redact(text, [SECRET]), [SECRET])


def test_a_letter_that_is_two_in_capitals_is_found_so():
    assert redact("Use STRASSE-4711.", ["straße-4711"]) == f"Use {MASK}."


@pytest.mark.parametrize(("text", "shown"), [("a 4 7 1 1 b", f"a {MASK} b"), ("4 4711", f"4 {MASK}")])
def test_only_the_secret_is_masked(text, shown):
    assert redact(text, ["4711"]) == shown


def test_a_secret_that_begins_within_what_looks_like_one_is_masked():
    assert redact("xa b a b a.", ["abab"]) == "xa b a b a."
    assert redact("xa b a b a b.", ["abab"]) == f"xa b {MASK}."


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "Key: "])
@pytest.mark.parametrize("after", ["", "z", "yz", "xyz"])
def test_base64_is_found_wherever_the_secret_stands_in_it(before, after):
    text = base64.b64encode(f"{before}{SECRET}{after}".encode()).decode()
    assert discloses(text, [SECRET])
    assert discloses(f"{text[:7]}\n{text[7:]}", [SECRET])


@pytest.mark.parametrize(("secret", "sign"), [(">>>>canary>>>>", "-"), ("???canary???", "_")])
def test_base64_in_its_form_for_urls_is_found(secret, sign):
    text = base64.urlsafe_b64encode(secret.encode()).decode()
    assert sign in text
    assert discloses(text, [secret])
    assert discloses(base64.b64encode(secret.encode()).decode(), [secret])


def test_base64_in_other_case_is_another_text():
    text = base64.b64encode(SECRET.encode()).decode()
    assert not discloses(text.swapcase(), [SECRET])


def test_a_secret_with_signs_is_found_in_a_url():
    secret = "pa/ss wörd&1"
    assert discloses(f"https://example.com/?k={quote(secret, safe='')}", [secret])


@pytest.mark.parametrize("secret", ["drip", "4711"])
def test_parts_of_neighbouring_words_make_no_secret(secret):
    assert not discloses("A hundred ripe pears, order 84 711 5", [secret])


def test_a_short_secret_that_is_spelled_out_is_found():
    assert discloses("The code is 4 7 1 1.", ["4711"])


@pytest.mark.parametrize("text", ["", "Your order ORD-1001 is on its way.", "dc-live-", SECRET[:-1]])
def test_other_texts_disclose_nothing(text):
    assert not discloses(text, [SECRET])


def test_one_of_several_is_enough():
    assert discloses("It is canary-two.", ["canary-one", "canary-two"])


def test_without_secrets_nothing_is_discloses():
    assert not discloses(SECRET, [])


def test_a_secret_of_separators_is_found_as_it_is():
    assert discloses("a ---- b", ["----"])
    assert not discloses("a b", ["----"])


def test_a_secret_beyond_unicode_is_found():
    assert discloses("a \ud83dx\ud83dx b", ["\ud83dx\ud83dx"])
