"""No verdict is better than its evidence: extreme fits, offsets, and for which rows a budget is."""

import numpy as np
import pytest
from sklearn.base import clone

from taylor_sensus import load
from taylor_sensus.model.scaling import learn_scaling
from taylor_sensus.words.summary import statuses
from taylor_sensus.words.warnings import warnings_of
from tests import tiny


@pytest.fixture(scope="module")
def extremes():
    """Fits that no summary may call good: five rows, a constant target, networks that diverge."""
    X, y = tiny.numbers()
    quick = tiny.tiny(kernel=False)
    return {
        "five rows": clone(quick).fit(X[:5], y[:5]),
        "constant": clone(quick).fit(X, np.full(40, 3.0)),
        "diverged": clone(quick).set_params(learning_rate=1e5).fit(X, y),
    }


@pytest.mark.parametrize("case", ["five rows", "constant", "diverged"])
def test_no_summary_calls_an_extreme_fit_good(extremes, case, tmp_path):
    model = extremes[case]
    accuracy, bars, *_ = statuses(model.fitted_)
    assert accuracy.word != "good" and bars.word != "good", (accuracy, bars)
    model.save(tmp_path / "m.tsnet")
    again = load(tmp_path / "m.tsnet")
    assert again.summary() == model.summary()


def test_a_constant_target_and_divergence_are_warned_of(extremes):
    assert "constant_target" in [one.code for one in warnings_of(extremes["constant"].fitted_)]
    assert "not_learned" in [one.code for one in warnings_of(extremes["diverged"].fitted_)]


def test_a_large_offset_is_no_constant():
    X, y = tiny.numbers()
    spread = y.std()
    plain, moved = (tiny.tiny(kernel=False).fit(X, y + offset).predict(X) for offset in (0.0, 1e12 * spread))
    assert moved - 1e12 * spread == pytest.approx(plain, abs=0.02 * spread)
    assert learn_scaling(X, np.full((40, 1), 0.1), np.ones(40)).target_scale[0] == pytest.approx(1e-7)


def test_the_budget_says_for_which_rows_it_is():
    X, y = tiny.numbers()
    model = tiny.tiny().fit(X, y)
    seen, new = model.noise_budget(X), model.noise_budget(X + 0.01)
    assert seen.rows_trained_on == 40 and new.rows_trained_on == 0
    assert model.noise_budget(np.vstack([X[:3], X[:2] + 0.01])).rows([0, 3]).rows_trained_on == 1
    assert "that the model was fitted on" in str(seen) and "fitted on" not in str(new)
    unseen = float(model.fitted_.unseen_lacking[0])
    assert f"{100 * unseen:.0f} % of the variance comes from it at such rows as long as they are unseen" in str(seen)
