"""Inputs that were measured before."""

import numpy as np
import pytest

from taylor_sensus.model.repeats import FEWEST, find, gather, learn_repeats


def test_inputs_are_found_among_others():
    x = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [0.0, -1.0]])
    asked = np.array([[1.0, 2.0], [9.0, 9.0], [-0.0, -1.0], [3.0, 4.0]])
    y, weight = np.array([1.0, 5.0, 3.0, 7.0, 0, 0, 0, 0])[:, None], np.array([1.0, 1.0, 3.0, 1.0, 1, 1, 1, 1])
    inputs = gather(np.concatenate([x, asked]), y, weight, train=4)
    place = find(np.float32(x[inputs.first]), asked)
    assert np.array_equal(place, inputs.place[4:]), "whether they are looked for together or later"
    assert (place >= 0).tolist() == [True, False, True, True]
    mean = (inputs.total / inputs.weight[:, None])[place, 0]
    assert mean[[0, 2, 3]].tolist() == [2.5, 7.0, 5.0]


def twins(repeatable: float, pairs: int = 4000, seed: int = 0):
    """Two rows at each input; the model says 0, and this share of the variance comes again."""
    rng = np.random.default_rng(seed)
    x = np.repeat(rng.normal(size=(pairs, 2)), 2, axis=0)
    own = np.repeat(rng.normal(size=(pairs, 1)), 2, axis=0)
    y = np.sqrt(repeatable) * own + np.sqrt(1 - repeatable) * rng.normal(size=(2 * pairs, 1))
    zero = np.zeros_like(y)
    return x, y, learn_repeats(x, y, np.ones(len(x)), len(x), zero, zero + 1)


@pytest.mark.parametrize("repeatable", [0.3, 0.8, 1.0])
def test_gain_is_the_share_that_comes_again(repeatable):
    _, _, repeats = twins(repeatable)
    assert repeats is not None
    assert repeats.gain[0] == pytest.approx(repeatable, abs=0.06)
    assert repeats.left[0] == pytest.approx(max(1 - repeatable**2, 1 / 8001), rel=0.15, abs=1e-6)


def test_a_known_input_is_told_its_answer_and_others_are_left_alone():
    x, y, repeats = twins(1.0)
    assert repeats is not None
    asked = np.array([x[0], [9.0, 9.0]])
    mean, left = repeats(asked, np.zeros((2, 1)))
    assert mean[0, 0] == pytest.approx(y[0, 0], abs=0.01)
    assert mean[1, 0] == 0
    assert left[:, 0].tolist() == [repeats.left[0], 1.0]


def test_scatter_alone_teaches_next_to_nothing():
    repeats = twins(0.0)[2]
    assert repeats is None or repeats.gain[0] < 0.1


def test_tables_without_repeats_are_left_alone():
    x = np.random.default_rng(0).normal(size=(50, 3))
    y = x[:, :1]
    assert learn_repeats(x, y, np.ones(50), 50, y * 0, y * 0 + 1) is None


def test_too_few_twins_teach_nothing():
    x = np.arange(60.0)[:, None]
    x[60 - (FEWEST - 1) :] = x[: FEWEST - 1]
    y = np.sin(x)
    assert learn_repeats(x, y, np.ones(60), 60 - (FEWEST - 1), y * 0, y * 0 + 1) is None


def test_validation_rows_show_repeats_too():
    x = np.arange(40.0)[:, None]
    both = np.concatenate([x, x[:20]])
    y = np.cos(both)
    repeats = learn_repeats(both, y, np.ones(60), 40, y * 0, y * 0 + 1)
    assert repeats is not None
    assert repeats.gain[0] > 0.8


def test_some_rows_can_be_asked_and_all_are_twins():
    """Of a large table only some rows have a prediction; their twins may be any rows."""
    x, y, _ = twins(0.8)
    asked = np.arange(0, len(x), 2)
    zero = np.zeros((len(asked), 1))
    repeats = learn_repeats(x, y, np.ones(len(x)), len(x), zero, zero + 1, asked)
    assert repeats is not None
    assert repeats.gain[0] == pytest.approx(0.8, abs=0.06) and len(repeats.keys) == len(x) // 2
