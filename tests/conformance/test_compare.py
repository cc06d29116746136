"""The class of a case, as every implementation must give it."""

from __future__ import annotations

import json
from pathlib import Path

from agenttwin.compare import classify
from agenttwin.evaluate import Verdict
from tests.unit.compare._make import case, evaluation, side

VECTORS = json.loads((Path(__file__).parents[2] / "conformance" / "classification.json").read_text())[
    "vectors"
]


def test_every_vector_has_its_class() -> None:
    for vector in VECTORS:
        left, right = (
            side(
                [
                    evaluation(f"e{n}", Verdict(item[name]), critical=item["critical"])
                    for n, item in enumerate(vector["expectations"])
                ],
                transcript=vector[f"{name}_ran"],
            )
            for name in ("baseline", "candidate")
        )
        assert classify(case(left, right)).classification == vector["classification"], vector
