"""The vectors of `conformance/` that pin canonical JSON, digests, draws and seeds in every language."""

import json
import struct
from pathlib import Path

import pytest

from agenttwin.values import canonical, digest, draw, trial_seed

CONFORMANCE = Path(__file__).parents[2] / "conformance"


def vectors(name, key="vectors"):
    entries = json.loads((CONFORMANCE / f"{name}.json").read_text("utf-8"))[key]
    return [pytest.param(entry, id=str(next(iter(entry.values())))) for entry in entries]


@pytest.mark.parametrize("vector", vectors("canonical"))
def test_a_value_has_one_spelling(vector):
    assert canonical(json.loads(vector["json"])).decode() == vector["canonical"]


@pytest.mark.parametrize("vector", vectors("canonical", "doubles"))
def test_a_double_is_spelled_as_ecmascript_does(vector):
    (number,) = struct.unpack(">d", bytes.fromhex(vector["bits"]))
    assert canonical(number).decode() == vector["canonical"]


@pytest.mark.parametrize("vector", vectors("canonical", "refused"))
def test_what_has_no_canonical_form_is_refused(vector):
    with pytest.raises(ValueError, match=r"integer|surrogate|number"):
        canonical(json.loads(vector["json"]))


@pytest.mark.parametrize("vector", vectors("digest"))
def test_a_digest_is_over_the_canonical_form(vector):
    assert digest(json.loads(vector["json"])) == vector["digest"]


@pytest.mark.parametrize("vector", vectors("draw"))
def test_a_draw_follows_from_names(vector):
    drawn = draw(vector["seed"], vector["rule"], vector["tool"], vector["number"])
    assert drawn == vector["draw"]
    assert drawn == int(vector["first_8_bytes"], 16) / 2**64


@pytest.mark.parametrize("vector", vectors("seed"))
def test_a_trial_has_its_seed(vector):
    assert trial_seed(vector["plan_seed"], vector["scenario"], vector["trial"]) == vector["seed"]
