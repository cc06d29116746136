"""The one table of stable codes: what each means, what brings it about, what to do.

One row a code, one line a row; a code never changes its meaning once released.
"""
# ruff: noqa: E501 - a row is one line, so that the table reads, sorts and merges as a table
# fmt: off

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """What a code stands for: its meaning, something that brings it about, and what to do about it."""

    title: str
    example: str
    remedy: str


CODES: Mapping[str, CodeEntry] = MappingProxyType({
    # documents: text
    "invalid_document": CodeEntry("A document has problems", "agenttwin check", "Fix the listed problems; each names its line."),
    "syntax_error": CodeEntry("The text is not YAML or JSON", "name: [READ", "Close what was opened, and quote text that holds : # { } [ ] , & * ! | > % @."),
    "not_utf8": CodeEntry("The file is not text in UTF-8", "a file saved as UTF-16 or Latin-1", "Save the file as UTF-8."),
    "byte_order_mark": CodeEntry("The file begins with a byte order mark", "\ufeffkind: Scenario", "Save the file as UTF-8 without a byte order mark."),
    "document_too_large": CodeEntry("The document has more bytes than its kind may have", "a scenario of 600 KiB", "Split the document, or move its data to a file that it names."),
    "document_too_deep": CodeEntry("The document nests deeper than its kind may", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "Flatten the data."),
    "too_many_nodes": CodeEntry("The document holds more values than its kind may", "a scenario with 30,000 records", "Split the document, or move its data to a file that it names."),
    "too_many_problems": CodeEntry("There are more problems than are shown", "a file of another tool", "Fix the listed problems first, then check again."),
    "tag_not_allowed": CodeEntry("YAML tags are not read", "seed: !!int '7'", "Write the plain value without the tag."),
    "anchor_not_allowed": CodeEntry("YAML anchors are not read", "first: &a 1", "Remove the anchor and write the value where it is needed."),
    "alias_not_allowed": CodeEntry("YAML aliases are not read", "second: *a", "Write the value itself in place of the alias."),
    "merge_key_not_allowed": CodeEntry("YAML merge keys are not read", "<<: {a: 1}", "Write the fields themselves."),
    "duplicate_key": CodeEntry("A key stands twice in one mapping", "{a: 1, a: 2}", "Keep one of the two."),
    "key_not_text": CodeEntry("A key is not text", "{1: one}", "Put the key in quotes."),
    "number_not_finite": CodeEntry("A number is infinite or not a number", "limit: .inf", "Write a finite number, or leave the field out."),
    "integer_too_large": CodeEntry("An integer beyond 2^53 cannot be held exactly", "order: 9007199254740993", "Put the number in quotes: ids are text."),
    "lone_surrogate": CodeEntry("Half of a surrogate pair is not a character", '{"a": "\\ud83d"}', "Write the whole character."),
    "not_json": CodeEntry("The text is not JSON", "{'a': 1}", "Write JSON: double quotes, no comments, no trailing commas."),
    # documents: shape
    "several_documents": CodeEntry("A file holds more than one document", "a second --- in the file", "Give each document a file of its own."),
    "not_a_document": CodeEntry("The text is no document: a document is a mapping with apiVersion, kind, metadata and spec", "- 1", "Begin with apiVersion: agenttwin.dev/v1 and kind."),
    "unknown_api_version": CodeEntry("The document is written for another version of the format", "apiVersion: v1", "Write apiVersion: agenttwin.dev/v1."),
    "unknown_kind": CodeEntry("The kind is not one that AgentTwin reads", "kind: Scenaro", "Use one of the listed kinds."),
    "missing_field": CodeEntry("A required field is missing", "a scenario without spec.twin", "Add the field."),
    "unknown_field": CodeEntry("The field is not one of this place", "riks: READ", "Correct the name, or remove the field."),
    "unknown_value": CodeEntry("The word is not in the valid set", "risk: REED", "Use one of the listed words."),
    "wrong_type": CodeEntry("The value has another type than the field", "callNumber: '1'", "Write a value of that type; quotes make text of a number."),
    "out_of_range": CodeEntry("A number is outside its bounds", "timeoutSeconds: 0", "Choose a number within the bounds."),
    "wrong_length": CodeEntry("A text, list or mapping is too short or too long", "expectations: []", "Keep within the bounds."),
    "pattern_mismatch": CodeEntry("A text does not have the required form", "name: My Twin", "Use only the characters that the pattern allows."),
    "invalid_value": CodeEntry("The value does not make sense here", "matches: '('", "Correct it as the message says."),
})
