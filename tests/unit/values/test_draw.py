"""Draws and seeds: what the vectors of `conformance/` do not show."""

from agenttwin.values import draw, trial_seed


def test_draws_are_spread_evenly():
    draws = [draw("7", "flaky", "lookup_order", number) for number in range(2_000)]
    assert all(0 <= drawn < 1 for drawn in draws)
    assert 450 < sum(drawn < 0.25 for drawn in draws) < 550


def test_a_draw_depends_on_nothing_but_its_names():
    assert draw("7", "r", "t", 1) == draw("7", "r", "t", 1)
    assert (
        len({draw("7", "r", "t", 1), draw("8", "r", "t", 1), draw("7", "s", "t", 1), draw("7", "r", "u", 1)})
        == 4
    )


def test_a_seed_as_number_or_text_is_one():
    assert trial_seed(7, "refund-happy-path", 1) == trial_seed("7", "refund-happy-path", 1)
