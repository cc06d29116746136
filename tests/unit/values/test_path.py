"""Paths: what can be written, what it means, and what is said where it cannot be read."""

import pytest

from agenttwin.values import MISSING, Path, PathPart, Tree, format_path, scan_path

STATE = {
    "orders": {"ORD-1001": {"items": [{"sku": "A"}, {"sku": "B"}], "note": None, "a.b": 1, "": 2}},
    "name": "Zoë",
    "count": 3,
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", STATE),
        ("count", 3),
        ("orders.ORD-1001.items[0].sku", "A"),
        ("orders.ORD-1001.items[-1].sku", "B"),
        ("orders['ORD-1001'].items[0]['sku']", "A"),
        ('orders["ORD-1001"]["a.b"]', 1),
        ("orders.ORD-1001['']", 2),
        ("orders.ORD-1001.items.length()", 2),
        ("orders.length()", 1),
        ("name.length()", 3),
        ("length()", 3),
        ("orders.ORD-1001.note", None),
        ("orders.ORD-1002", MISSING),
        ("orders.ORD-1001.note.x", MISSING),
        ("orders.ORD-1001.items[2]", MISSING),
        ("orders.ORD-1001.items[-3]", MISSING),
        ("orders.ORD-1001.items.sku", MISSING),
        ("orders.ORD-1001.items['0']", MISSING),
        ("orders[0]", MISSING),
        ("name[0]", MISSING),
        ("count.length()", MISSING),
        ("nothing.length()", MISSING),
        ("orders.keys", MISSING),
        ("name.__class__", MISSING),
    ],
)
def test_a_path_leads_to_a_value(text, found):
    assert Path.parse(text).get(STATE) == found


def test_a_path_leads_through_what_was_written():
    tree = Tree(STATE)
    tree.append(("orders", "ORD-1001", "items"), {"sku": "C"})
    assert Path.parse("orders.ORD-1001.items[-1].sku").get(tree.root) == "C"
    assert Path.parse("orders.ORD-1001.items.length()").get(tree.root) == 3


@pytest.mark.parametrize(
    ("segments", "text"),
    [
        ((), ""),
        (("orders", "ORD-1001", "refund_count"), "orders.ORD-1001.refund_count"),
        ((0, "a", -1), "[0].a[-1]"),
        (("refund:ORD-1", "a/b", "x@y", "Grüße"), "refund:ORD-1.a/b.x@y.Grüße"),
        (("a.b", "c"), "['a.b'].c"),
        (("a", "two words", ""), "a['two words']['']"),
        (("it's", "a\\b"), r"['it\'s']['a\\b']"),
        (("line\nbreak\ud800",), r"['line\u000abreak\ud800']"),
        (("length()",), "['length()']"),
        (("{x}", "$ref"), "['{x}']['$ref']"),
        (("0",), "0"),
    ],
)
def test_segments_have_one_text(segments, text):
    assert format_path(segments) == text
    assert Path.parse(text).segments == segments


def test_a_length_is_part_of_the_text():
    assert str(Path(("a",), length=True)) == "a.length()"
    assert str(Path((), length=True)) == "length()"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (".a", "a key is missing before '.' (character 1 of '.a')"),
        ("a..b", "a key is missing before '.' (character 3 of 'a..b')"),
        ("a.[0]", "a key is missing before '[' (character 3 of 'a.[0]')"),
        ("a.", "a key is missing at the end (character 3 of 'a.')"),
        ("$.a", "a key with '$' needs quotes: ['…'] (character 1 of '$.a')"),
        ("a b", "expected '.' or '[', or ['…'] around a key with ' ' (character 2 of 'a b')"),
        ("a[0]b", "expected '.' or '[', or ['…'] around a key with 'b' (character 5 of 'a[0]b')"),
        ("a[b]", "expected [index], ['key'] or [{placeholder}] (character 2 of 'a[b]')"),
        ("a[", "expected [index], ['key'] or [{placeholder}] (character 2 of 'a[')"),
        ("a['b]", "expected [index], ['key'] or [{placeholder}] (character 2 of \"a['b]\")"),
        ("a[1.5]", "expected [index], ['key'] or [{placeholder}] (character 2 of 'a[1.5]')"),
        ("a.length().b", "nothing may follow .length() (character 11 of 'a.length().b')"),
        ("a.{b}", "'{b}' is a placeholder, and this path takes none (character 3 of 'a.{b}')"),
        ("a[{b}]", "'{b}' is a placeholder, and this path takes none (character 3 of 'a[{b}]')"),
        ("a" * 501, "a path has at most 500 characters, this one has 501"),
        (".".join("a" * 65), "a path has at most 64 segments, this one has 65"),
    ],
)
def test_a_path_that_cannot_be_read_says_why_and_where(text, reason):
    with pytest.raises(ValueError, match=r"^") as refused:
        Path.parse(text)
    assert str(refused.value) == reason


def test_a_path_has_at_most_500_characters_and_64_segments():
    assert Path.parse("a" * 500).segments == ("a" * 500,)
    assert len(Path.parse(".".join("a" * 64) + ".length()").segments) == 64


def test_placeholders_are_parts_for_others_to_fill():
    assert scan_path("users.{value.user_id}.pre-{n}[{i}].x[{= size(args['ids']) }].length()") == (
        PathPart(kind="key", value="users", position=1),
        PathPart(kind="hole", value="{value.user_id}", position=7),
        PathPart(kind="hole", value="pre-{n}", position=23),
        PathPart(kind="hole", value="{i}", position=31, bracketed=True),
        PathPart(kind="key", value="x", position=36),
        PathPart(kind="hole", value="{= size(args['ids']) }", position=38, bracketed=True),
        PathPart(kind="length", value="", position=62),
    )
