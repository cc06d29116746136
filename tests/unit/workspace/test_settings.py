"""Settings are resolved once: flags win over the environment, that over the file, that over the defaults."""

import pytest

from agenttwin.errors import UsageError
from agenttwin.workspace import SETTINGS
from tests.unit.workspace._workspace import opened, refusal, write

DEFAULTS = {
    "seed": 0,
    "concurrency": 8,
    "isolation": "thread",
    "judge": "keyword",
    "default_suite": None,
    "call_limit": 200,
    "max_cost": None,
}


def settings(root, **options):
    return opened(root, **options).settings


def test_every_setting_has_a_default(tmp_path):
    found = settings(write(tmp_path))
    assert {name: getattr(found, name) for name in SETTINGS} == DEFAULTS
    assert set(found.origins.values()) == {"default"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", 7),
        ("concurrency", 2),
        ("isolation", "process"),
        ("judge", {"provider": "keyword"}),
        ("default_suite", "all"),
        ("call_limit", 9),
    ],
)
def test_the_file_sets_it_and_is_named_with_the_line(tmp_path, name, value):
    found = settings(write(tmp_path, suites={"all": {}}, **{name: value}))
    assert getattr(found, name) == (value["provider"] if isinstance(value, dict) else value)
    assert found.origins[name] == "agenttwin.yaml:8"


def test_the_environment_wins_over_the_file(tmp_path):
    found = settings(write(tmp_path, seed=7), environ={"AGENTTWIN_SEED": "8", "AGENTTWIN_JUDGE": "keyword"})
    assert (found.seed, found.origins["seed"], found.origins["judge"]) == (
        8,
        "AGENTTWIN_SEED",
        "AGENTTWIN_JUDGE",
    )


def test_a_flag_wins_over_all(tmp_path):
    write(tmp_path, seed=7, concurrency=3)
    found = settings(tmp_path, environ={"AGENTTWIN_SEED": "8"}, flags={"seed": 9, "concurrency": None})
    assert (found.seed, found.origins["seed"]) == (9, "--seed")
    assert (found.concurrency, found.origins["concurrency"]) == (3, "agenttwin.yaml:8")


def test_a_file_of_the_environment_is_named(tmp_path):
    write(tmp_path, {".env": "AGENTTWIN_SEED=5\nAGENTTWIN_CALL_LIMIT=6\n"})
    found = settings(tmp_path, environ={"AGENTTWIN_CALL_LIMIT": "7"})
    assert (found.seed, found.origins["seed"]) == (5, "AGENTTWIN_SEED in .env")
    assert (found.call_limit, found.origins["call_limit"]) == (7, "AGENTTWIN_CALL_LIMIT")


def test_an_empty_variable_is_not_set(tmp_path):
    assert settings(write(tmp_path, seed=7), environ={"AGENTTWIN_SEED": ""}).seed == 7


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("SEED", "-1", "a whole number from 0 to 9,007,199,254,740,992."),
        ("SEED", "9007199254740993", "a whole number from 0 to 9,007,199,254,740,992."),
        ("SEED", "1_000", "a whole number from 0 to 9,007,199,254,740,992."),
        ("SEED", "\u0663", "a whole number from 0 to 9,007,199,254,740,992."),
        ("SEED", "9" * 5000, "a whole number from 0 to 9,007,199,254,740,992."),
        ("CONCURRENCY", "0", "a whole number from 1 to 256."),
        ("CONCURRENCY", "257", "a whole number from 1 to 256."),
        ("CONCURRENCY", "many", "a whole number from 1 to 256."),
        ("CALL_LIMIT", "1.5", "a whole number from 1 to 100,000."),
        ("ISOLATION", "proces", "thread or process; did you mean 'process'?"),
        ("JUDGE", "gpt", "keyword."),
    ],
)
def test_a_text_that_is_no_value_is_refused(tmp_path, variable, text, message):
    said = refusal(UsageError, opened, write(tmp_path), environ={f"AGENTTWIN_{variable}": text})
    assert said == f"AGENTTWIN_{variable} is {text!r}, but must be {message} [invalid_setting]"


@pytest.mark.parametrize(
    ("name", "low", "high"), [("seed", 0, 2**53), ("concurrency", 1, 256), ("call_limit", 1, 100_000)]
)
def test_bounds_are_part_of_what_is_allowed(tmp_path, name, low, high):
    assert getattr(settings(write(tmp_path), flags={name: low}), name) == low
    assert getattr(settings(write(tmp_path, **{name: high})), name) == high


def test_a_wrong_flag_is_named(tmp_path):
    said = refusal(UsageError, opened, write(tmp_path), flags={"call_limit": 0})
    assert said == "--call-limit is '0', but must be a whole number from 1 to 100,000. [invalid_setting]"
