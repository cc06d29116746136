"""What is told of broken documents, word for word."""

from collections import Counter

import pytest

from tests.broken._corpus import CORPUS, examples, tell

EXAMPLES = [example for path in CORPUS for example in examples(path)]
GROUPS = {
    "yaml", "json", "types", "words", "references", "templates", "cel", "paths", "schemas", "limits",
    "workspaces",
}  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_what_is_told_of_it(example):
    assert "\n".join(tell(example)) == "\n".join(example.told)


def test_there_are_some_of_every_sort():
    found = Counter(example.group for example in EXAMPLES)
    assert set(found) == GROUPS
    assert min(found.values()) >= 5
    assert found.total() >= 60
