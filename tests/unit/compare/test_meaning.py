"""What a divergence means where it depends on when an effect landed; no sentence names a cause."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

import agenttwin.compare
import agenttwin.report
from agenttwin.compare import PHRASES, diverge, trajectory
from agenttwin.transcript import Commit, Risk
from tests.unit.compare._make import TIMEOUT, applied, call, side

CAUSES = re.compile(r"\b(because|caused?|causes|due to|led to|leads to|therefore|hence)\b", re.IGNORECASE)


@pytest.mark.parametrize(
    ("landed", "applied_before"), [(2, True), (3, True), (4, False), (0, False), (None, False)]
)
def test_a_late_effect_counts_from_when_it_landed(landed, applied_before):
    late = applied("pay", effect_key="pay", committed=Commit.LATE, landed=landed, **TIMEOUT)
    look, pay = call("look"), applied("pay", effect_key="pay")
    mail = call("mail", risk=Risk.WRITE_REVERSIBLE)
    left, right = (trajectory(side(events=[late, look, last]), {}) for last in (mail, pay))
    found = diverge(left, right)
    assert found is not None
    assert ("already applied it" in (found.meaning or "")) is applied_before


def test_a_read_is_never_a_repeated_write():
    failed = call("look", effect_key="x", computed_changes=1, committed=Commit.ALL, **TIMEOUT)
    left, right = [failed, call("other")], [failed, replace(failed, result="ok")]
    found = diverge(trajectory(side(events=left), {}), trajectory(side(events=right), {}))
    assert found is not None
    assert found.meaning is None


def test_no_phrase_names_a_cause():
    assert [name for name, phrase in PHRASES.items() if CAUSES.search(phrase)] == []


@pytest.mark.parametrize("package", [agenttwin.compare, agenttwin.report])
def test_no_text_in_the_code_names_a_cause(package):
    found = []
    for module in Path(package.__path__[0]).glob("*.py"):
        tree = ast.parse(module.read_text("utf-8"))
        texts = [
            node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        found += [f"{module.name}:{node.lineno}" for node in texts if CAUSES.search(node.value)]
    assert found == []
