"""Joint draws of the function: each row scatters by its epistemic error, and neighbours go together."""

import numpy as np
import pytest

from taylor_sensus.errors import SettingError
from tests.tiny import numbers, tiny


@pytest.fixture(scope="module")
def model():
    return tiny().fit(*numbers())


def test_each_row_scatters_by_its_epistemic_error_around_the_mean(model):
    X, _ = numbers(seed=1)
    drawn = model.sample_functions(X, 4000, random_state=0)
    said = model.predict_distribution(X)
    assert drawn.shape == (4000, 40)
    assert drawn.mean(axis=0) == pytest.approx(said.mean, abs=5 * said.epistemic.max() / np.sqrt(4000))
    assert drawn.std(axis=0) == pytest.approx(said.epistemic, rel=0.1)
    assert np.array_equal(model.sample_functions(X, 3, random_state=0), model.sample_functions(X, 3, random_state=0))


def test_neighbours_go_together_and_far_rows_do_not(model):
    X = np.zeros((3, 4))
    X[1, 0], X[2, 0] = 0.01, 40.0
    near, far = (np.corrcoef(model.sample_functions(X, 2000, random_state=0).T)[0, at] for at in (1, 2))
    assert near > 0.99 and abs(far) < 0.6


def test_equal_rows_have_equal_functions_and_absurd_wishes_are_refused(model):
    X, _ = numbers()
    twice = model.sample_functions(np.vstack([X[:2], X[:2]]), 5, random_state=0)
    assert twice[:, :2] == pytest.approx(twice[:, 2:], abs=1e-3)
    with pytest.raises(SettingError, match="whole number"):
        model.sample_functions(X, 1.5)
    with pytest.raises(SettingError, match="too many"):
        model.sample_functions(np.zeros((5001, 4)), 1)


def test_several_targets_and_models_without_a_process():
    X, y = numbers()
    both = tiny(kernel=False).fit(X, np.column_stack([y, 100 * y]))
    drawn = both.sample_functions(X, 2000, random_state=0)
    assert drawn.shape == (2000, 40, 2)
    assert drawn.std(axis=0) == pytest.approx(both.predict_distribution(X).epistemic, rel=0.12)
