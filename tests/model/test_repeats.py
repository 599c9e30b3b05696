"""Rows that share their input: what they tell of the noise, and what older models remember of them."""

import numpy as np
import pytest

from taylor_sensus.model.repeats import FEWEST, Repeats, find, gather, pure_error


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


def test_pure_error_is_the_scatter_between_twins():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=(4000, 2)), 2, axis=0)
    y = np.repeat(rng.normal(size=(4000, 1)), 2, axis=0) + 0.3 * rng.normal(size=(8000, 1))
    found = pure_error(x, y, np.ones(8000))
    assert found is not None and found.inputs == 4000 and found.freedom == 4000
    assert found.variance[0] == pytest.approx(0.09, rel=0.1)


def test_too_few_twins_tell_nothing():
    x = np.arange(60.0)[:, None]
    x[60 - (FEWEST - 1) :] = x[: FEWEST - 1]
    assert pure_error(x, np.sin(x), np.ones(60)) is None


def test_a_model_of_an_earlier_version_tells_known_inputs_their_answer():
    keys = np.float32([[0.0, -1.0], [1.0, 2.0]])
    place = np.argsort([row.tobytes() for row in keys])
    answers = np.array([[7.0], [5.0]])
    repeats = Repeats(keys[place], answers[place], np.array([0.8]), np.array([0.1]))
    mean, left = repeats(np.array([[1.0, 2.0], [9.0, 9.0]]), np.zeros((2, 1)))
    assert mean[:, 0].tolist() == pytest.approx([4.0, 0.0])
    assert left[:, 0].tolist() == [0.1, 1.0]
