"""Laws of the algebra of JSON values."""

import json
from contextlib import suppress
from copy import deepcopy
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenttwin.values import (
    COMPARATORS,
    MISSING,
    Path,
    apply,
    canonical,
    describe,
    diff,
    digest,
    equal,
    format_path,
    match,
    merge,
    nearest,
    plain,
    scan_path,
    search_pattern,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
jsons = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
wholes = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
)

few = st.sampled_from([None, True, False, 0, 1, 1.0, 2, "", "x"])
alike = st.recursive(
    few,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=8,
)
"""Values that are often equal, or nearly."""


def shuffled(value):
    """An equal value with its keys turned round and its integers as doubles where they can be."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [shuffled(element) for element in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@given(jsons)
def test_canonical_json_is_json_of_an_equal_value(value):
    assert equal(json.loads(canonical(value), parse_int=float), value)


@given(jsons)
def test_equal_values_have_one_canonical_form(value):
    assert equal(value, shuffled(value))
    assert canonical(value) == canonical(shuffled(value))


@given(alike, alike)
def test_values_are_equal_exactly_when_their_digests_are(a, b):
    assert equal(a, b) == equal(b, a) == (digest(a) == digest(b))


@given(wholes)
def test_canonical_json_without_fractions_is_what_any_encoder_writes(value):
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value).decode() == written


@given(
    st.recursive(
        scalars | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
        max_leaves=8,
    )
)
def test_whatever_python_calls_json_is_spelled_or_refused(value):
    try:
        spelling = canonical(value)
    except ValueError:
        return
    assert equal(json.loads(spelling, parse_int=float), value)


@given(st.floats())
def test_a_float_is_canonical_when_it_is_finite(number):
    if isfinite(number):
        assert float(canonical(number)) == number
    else:
        with pytest.raises(ValueError, match="not a JSON number"):
            canonical(number)


@given(alike, alike)
def test_a_diff_leads_from_one_value_to_the_other(a, b):
    before = deepcopy(a)
    assert equal(apply(diff(a, b), a), b)
    assert repr(a) == repr(before)


@given(jsons, jsons)
def test_a_diff_leads_anywhere(a, b):
    assert equal(apply(diff(a, b), a), b)


@given(alike, alike)
def test_a_diff_is_empty_exactly_between_equal_values(a, b):
    assert (diff(a, b) == ()) == equal(a, b)


@given(jsons)
def test_a_diff_does_not_see_how_a_value_is_written(value):
    assert diff(value, shuffled(value)) == ()


@given(alike, alike)
def test_no_change_in_a_diff_can_be_left_out(a, b):
    changes = diff(a, b)
    for index in range(len(changes)):
        rest = changes[:index] + changes[index + 1 :]
        assert not equal(apply(rest, a), b)


@given(alike, alike)
def test_a_change_tells_what_stands_there(a, b):
    for change in diff(a, b):
        path = Path.parse(change.path)
        assert equal(path.get(a), change.before)
        assert equal(path.get(b), change.after)


@given(alike, alike)
def test_a_diff_comes_in_the_order_of_its_paths(a, b):
    segments = [Path.parse(change.path).segments for change in diff(a, b)]
    assert segments == sorted(segments)


@given(alike, alike)
def test_merging_changes_neither_argument(base, patch):
    before = deepcopy((base, patch))
    merge(base, patch)
    assert repr((base, patch)) == repr(before)


@given(alike, alike)
def test_merging_twice_is_merging_once(base, patch):
    assert equal(merge(merge(base, patch), patch), merge(base, patch))


@given(jsons)
def test_what_is_plain_already_is_not_copied(value):
    assert plain(value) is value


segments = st.lists(st.text(max_size=5) | st.integers(-99, 99), max_size=6).map(tuple)


@given(segments)
def test_a_path_reads_as_it_was_formatted(path):
    assert Path.parse(format_path(path)) == Path(path)


@given(segments)
def test_a_path_with_a_length_reads_as_it_was_formatted(path):
    assert Path.parse(str(Path(path, length=True))) == Path(path, length=True)


@given(segments)
def test_a_formatted_path_stands_on_one_line(path):
    assert len(format_path(path).splitlines()) < 2


@given(st.text(max_size=12) | st.text("ab.[]'{}()-01\\", max_size=12))
def test_any_text_is_a_path_or_is_refused(text):
    with suppress(ValueError):
        scan_path(text)
    with suppress(ValueError):
        assert Path.parse(str(Path.parse(text))) == Path.parse(text)


@given(jsons, segments)
def test_following_a_path_never_fails(value, path):
    Path(path).get(value)
    Path(path, length=True).get(value)


@given(jsons)
def test_no_text_from_outside_is_an_attribute(value):
    assert Path(("__class__",)).get(value) is MISSING


@given(st.sampled_from(list(COMPARATORS)), jsons, jsons | st.just(MISSING))
def test_matching_never_fails_over_a_value(name, operand, value):
    comparator = COMPARATORS[name]
    try:
        accepted = comparator.accepts(operand)
    except ValueError:
        return
    if accepted:
        found = match({name: operand}, value)
        assert found.reason.startswith("expected ")


@given(alike, alike)
def test_equals_and_not_equals_are_opposites(operand, value):
    assert match({"equals": operand}, value).ok != match({"notEquals": operand}, value).ok


@given(jsons)
def test_every_value_equals_itself(value):
    assert match({"equals": value, "in": [value], "exists": True}, value).ok


@given(jsons)
def test_a_description_is_short_and_on_one_line(value):
    assert 0 < len(describe(value)) <= 80
    assert len(describe(value).splitlines()) == 1


@given(st.text(max_size=12) | st.text("ab()[]*+?{}|\\^$.1,", max_size=12), texts)
def test_any_text_is_a_pattern_or_is_refused(pattern, text):
    with suppress(ValueError):
        assert search_pattern(pattern, text) in (True, False)


@given(texts, st.lists(texts))
def test_the_nearest_word_is_one_of_the_candidates(word, candidates):
    found = nearest(word, candidates)
    assert found is None or found in candidates
