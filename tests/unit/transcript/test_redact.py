"""A planted secret is shown nowhere, in no form."""

import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenttwin.transcript import MASK, redact

SECRET = "dc-live/4f9a~7c21+e0b8"
OTHER = 'q"u\\o é\n😀'


def masked(text, *secrets):
    return redact(text, secrets or (SECRET,))


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        SECRET.upper(),
        SECRET[::-1],
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        SECRET.encode().hex(" "),
        SECRET.encode().hex(":"),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        "".join(f"%{byte:02X}" for byte in SECRET.encode()),
        " ".join(SECRET),
        "\n".join(SECRET),
        "-".join(SECRET),
        b64encode(SECRET.encode()).decode().rstrip("="),
    ],
)
def test_a_secret_is_masked_in_every_form(form):
    assert masked(f"It is {form} indeed.") == f"It is {MASK} indeed."


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_a_secret_is_masked_within_base64(encode, before):
    secret = "???>>>~~~dc-live"
    text = encode(f"{before}{secret}: yes".encode()).decode()
    shown = redact(text, [secret])
    assert MASK in shown
    assert len(shown) - len(MASK) <= len(text) - len(secret) * 8 // 6


@pytest.mark.parametrize(
    "form", [OTHER, json.dumps(OTHER)[1:-1], json.dumps(OTHER, ensure_ascii=False)[1:-1], quote(OTHER)]
)
def test_a_secret_of_odd_characters_is_masked(form):
    assert redact(f"<{form}>", [OTHER]) == f"<{MASK}>"


def test_a_short_secret_is_masked_in_base64_where_it_stands_alone():
    assert redact(b64encode(b"abcd").decode(), ["abcd"]) == f"{MASK}=="


def test_every_occurrence_is_masked():
    assert masked(f"{SECRET}, {SECRET}") == f"{MASK}, {MASK}"


def test_several_secrets_are_masked():
    assert redact("one two three", ["one", "three"]) == f"{MASK} two {MASK}"


def test_the_longest_is_masked():
    assert redact("key-key-two", ["key", "key-key-two"]) == MASK


def test_keys_are_masked():
    assert masked({SECRET: 1, "b": 2}) == {MASK: 1, "b": 2}


def test_values_are_masked_however_deep():
    assert masked({"a": [{"b": SECRET}], "c": (1, SECRET)}) == {"a": [{"b": MASK}], "c": (1, MASK)}


def test_what_holds_no_secret_is_shared():
    value = {"a": [1, "x"], "b": {"c": None}}
    assert masked(value) is value
    shown = masked(value | {"d": SECRET})
    assert shown["a"] is value["a"]
    assert shown["b"] is value["b"]


@pytest.mark.parametrize("value", [None, 1, 1.5, True, "", [], {}])
def test_other_values_stay(value):
    assert masked(value) == value


def test_what_is_no_json_stays():
    marker = object()
    assert masked([marker, SECRET]) == [marker, MASK]


def test_without_secrets_nothing_is_masked():
    assert redact("text", []) == "text"
    assert redact("text", [""]) == "text"


def test_other_words_are_not_masked():
    text = "The order ORD-1001 was delivered; d c live 4 f."
    assert masked(text) is text


def test_a_secret_strewn_over_words_is_no_secret():
    assert redact("scan others", ["noth"]) == "scan others"


TEXTS = st.text(st.sampled_from('ab-/%\\"é\n 😀'), max_size=12)


@given(TEXTS, st.text(st.sampled_from('ab-/%\\"é😀'), min_size=4, max_size=6), TEXTS)
def test_whatever_stands_around_it_a_secret_is_masked(before, secret, after):
    text = before + secret + after
    assert secret not in redact(text, [secret])
    assert secret not in redact({"k": [text]}, [secret])["k"][0]
