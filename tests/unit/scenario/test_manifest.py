"""What differs between two manifests: lines of the instructions, and every other field."""

from agenttwin.scenario import manifest_diff
from agenttwin.values import MISSING, Change
from tests.unit.scenario._documents import MANIFEST

BEFORE = "Be kind.\nLook first.\nPay once.\n"


def manifest(instructions=BEFORE, version="1.0.0", **spec):
    metadata = {**MANIFEST["metadata"], "version": version}
    return {**MANIFEST, "metadata": metadata, "spec": {"instructions": instructions, **spec}}


def lines(before, after):
    return [line.sign + line.text for line in manifest_diff(manifest(before), manifest(after)).lines]


def test_lines_that_only_one_side_has_are_told_in_place():
    assert lines(BEFORE, "Be quick.\nLook first.\nPay once.\nSay thanks.") == [
        "-Be kind.",
        "+Be quick.",
        "+Say thanks.",
    ]


def test_equal_instructions_have_no_lines():
    assert lines(BEFORE, BEFORE.rstrip("\n")) == []


def test_a_line_that_moved_is_told_twice():
    assert sorted(lines("a\nb\n", "b\na\n")) == ["+a", "-a"] or sorted(lines("a\nb\n", "b\na\n")) == [
        "+b",
        "-b",
    ]


def test_many_equal_lines_do_not_hide_one():
    assert lines("x\n" * 300, "x\n" * 299 + "y\nx\n") == ["+y"]


def test_other_fields_are_changes():
    found = manifest_diff(
        manifest(model={"provider": "a"}, limits={"maxSteps": 3}),
        manifest(model={"provider": "b"}, version="1.1.0"),
    )
    assert found.fields == (
        Change(path="spec.limits", before={"maxSteps": 3}, after=MISSING),
        Change(path="spec.model.provider", before="a", after="b"),
    )


def test_the_version_itself_is_no_change():
    assert manifest_diff(manifest(), manifest(version="2.0.0")) == manifest_diff(manifest(), manifest())


def test_instructions_can_come_and_go():
    without = {**MANIFEST, "spec": {"promptRef": {"name": "p", "sha256": "0"}}}
    found = manifest_diff(manifest("Be kind."), without)
    assert [line.text for line in found.lines] == ["Be kind."]
    assert [change.path for change in found.fields] == ["spec.promptRef"]


def test_what_is_no_manifest_is_told_as_a_change():
    found = manifest_diff(None, manifest())
    assert [change.path for change in found.fields] == [""]
