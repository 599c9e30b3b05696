"""Words for numbers: the thresholds are where the documentation says, and few rows are not judged by chance."""

import re

import numpy as np
import pytest
from scipy.stats import binom

from taylor_sensus.words import verdicts as status
from taylor_sensus.words.verdicts import Coverage
from tests.words.test_summary import FIT


def bars(held, rows, **more):
    return status.error_bars(Coverage(rows, {90: held}), **more)


@pytest.mark.parametrize(
    ("explained", "word"),
    [(1.0, "good"), (0.7, "good"), (0.69, "fair"), (0.3, "fair"), (0.29, "check"), (-3.0, "check")],
)
def test_accuracy(explained, word):
    assert status.accuracy(explained, 200).word == word


def test_what_cannot_be_judged_is_neither_good_nor_bad():
    for found in (status.accuracy(np.nan, 50), bars(0.9, 0), bars(np.nan, 50), bars(1.0, 50, constant=True)):
        assert found.word == "fair" and "cannot be judged" in found.why


@pytest.mark.parametrize(
    ("held", "rows", "word"),
    [
        (0.90, 200, "good"),
        (0.86, 200, "good"),  # 85.5 to 94 % may be chance
        (0.85, 200, "fair"),
        (0.83, 200, "check"),
        (0.97, 200, "fair"),
        (0.87, 10_000, "fair"),
        (0.83, 10_000, "check"),
        (0.80, 35, "good"),  # 28 of 35: chance allows 28 to 35
        (0.80, 20, "fair"),  # 15 to 20 of 20 are chance, which tells nothing
        (1.00, 20, "fair"),
        (0.50, 20, "check"),  # this is no chance any more
    ],
)
def test_error_bars(held, rows, word):
    assert bars(held, rows).word == word


def probability(word, rows, held):
    """With which probability intervals that hold a row with probability ``held`` get the word."""
    counts = np.arange(rows + 1)
    got = [bars(count / rows, rows).word == word for count in counts]
    return float(binom.pmf(counts, rows, held) @ got)


@pytest.mark.parametrize("rows", [30, 60, 200, 1000])
def test_honest_error_bars_are_seldom_blamed_for_chance(rows):
    assert probability("good", rows, 0.9) >= 0.95
    assert probability("check", rows, 0.9) <= 0.025


def test_small_error_bars_are_found_as_soon_as_rows_can_tell():
    assert probability("check", 200, 0.75) > 0.95
    assert probability("good", 20, 0.75) == 0, "so few rows never prove that all is well"


def test_the_range_of_chance_is_as_documented():
    assert status.chance(20) == (0.75, 1.0) and status.chance(1000) == (0.881, 0.918)
    assert "75 to 100 %" in status.__doc__ and "88.1 to 91.8 %" in status.__doc__


@pytest.mark.parametrize(("rows", "word"), [(50, "good"), (49, "fair"), (20, "fair"), (19, "check")])
def test_amount_of_data(rows, word):
    assert status.amount(rows).word == word


def test_warnings():
    assert (status.warned(0).word, status.warned(2).word) == ("good", "fair")


@pytest.mark.parametrize(("familiarity", "word"), [(0.5, "good"), (0.49, "fair"), (0.2, "fair"), (0.1, "check")])
def test_a_row(familiarity, word):
    assert status.row(familiarity) == word


@pytest.mark.parametrize(("far", "word"), [(0, "good"), (5, "good"), (6, "fair"), (20, "fair"), (21, "check")])
def test_rows_of_a_table(far, word):
    found = status.rows([0.1] * far + [0.9] * (100 - far))
    assert found.word == word and found.why.startswith(f"{far} of 100 rows below 0.5")


@pytest.mark.parametrize(("share", "word"), [(0.1, "good"), (0.2, "fair"), (0.49, "fair"), (0.5, "check")])
def test_too_little_data(share, word):
    assert status.lacking_data(share).word == word


def test_every_threshold_stands_in_the_table():
    text = re.sub(r"\s+", " ", status.__doc__)
    shares = (status.ACCURATE, status.HELPFUL, status.NEARLY, status.FEW_UNFAMILIAR, status.SOME_UNFAMILIAR,
              status.LITTLE_LACKING, status.MUCH_LACKING)  # fmt: skip
    for words in [f"{100 * share:.0f} %" for share in shares]:
        assert words in text
    for number in (status.ENOUGH_HELD_OUT, status.MANY_ROWS, status.SOME_ROWS, status.FAMILIAR, status.STRANGE):
        assert re.search(rf"\b{number}\b", text)


def test_a_difference_that_matters_to_nobody_is_good_however_sure_it_is():
    assert status.chance(50_000)[1] < 0.906
    assert bars(0.906, 50_000).word == "good"
    assert bars(0.894, 50_000).word == "good"
    assert bars(0.92, 50_000).word == "fair"
    assert bars(0.87, 50_000).word == "fair"


HONEST = {50: 0.5, 80: 0.8, 90: 0.9, 95: 0.95}


@pytest.mark.parametrize("level", HONEST)
@pytest.mark.parametrize("off", [-0.12, -0.05, 0.05])
def test_no_level_outside_chance_is_called_good(level, off):
    rows = 1000
    held = min(HONEST[level] + off, 1.0)
    found = status.error_bars(Coverage(rows, {**HONEST, level: held}, (0.9, 0.9, 0.9)))
    assert found.word == ("check" if off < -status.NEARLY else "fair")
    assert f"{level} % intervals held" in found.why
    assert status.error_bars(Coverage(rows, HONEST, (0.9, 0.9, 0.9))).word == "good"


@pytest.mark.parametrize(("thirds", "word"), [((0.7, 0.95, 0.95), "check"), ((0.9, 0.9, 0.85), "fair")])
def test_no_third_outside_chance_is_called_good(thirds, word):
    found = status.error_bars(Coverage(1500, HONEST, thirds))
    assert found.word == word and "third" in found.why


def test_few_rows_and_networks_that_did_not_learn_are_never_good():
    assert status.accuracy(0.99, 5).word == "fair"
    for found in status.of_model(FIT, ("y",), 1, not_learned=8)[:2]:
        assert found.word == "check" and "8 networks diverged" in found.why
    assert {one.word for one in status.of_model(FIT, ("y",), 0)} == {"good"}
