"""Shapes against their textbook formulas, and when single precision is enough for distances."""

import numpy as np
import pytest

from taylor_sensus.model.covariance_shapes import SHAPES, are_single, arguments, as_queries

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(30, 3)), RNG.normal(size=(40, 3))
SIZE = 1.7


def distances(a=A, b=B):
    return ((a[:, None] - b[None]) ** 2).sum(axis=-1)


def matern(squared):
    s = np.sqrt(5 * squared)
    return (1 + s + s**2 / 3) * np.exp(-s)


FORMULAS = [matern, lambda squared: np.exp(-squared / 2)]


def asked(shape, a=A, b=B, kind: type = np.float64):
    keys = shape.keys(b).astype(kind)
    return shape.of(arguments(as_queries(a).astype(kind), keys), float(np.log(SIZE)))


@pytest.mark.parametrize(("shape", "formula"), list(zip(SHAPES, FORMULAS, strict=True)))
def test_shapes_are_those_of_the_books(shape, formula):
    value, slope = asked(shape)
    np.testing.assert_allclose(value, SIZE * formula(distances()), rtol=1e-12)
    step = 1e-6
    wanted = SIZE * (formula(distances() + step) - formula(distances() - step)) / (2 * step)
    np.testing.assert_allclose(shape.steepness * slope, wanted, rtol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_equal_rows_have_the_whole_amplitude(shape):
    far = 1e3 * A
    np.testing.assert_allclose(np.diag(asked(shape, far, far)[0]), SIZE, rtol=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("length", [1.0, 30.0])
def test_single_precision_is_allowed_where_it_is_not_seen(shape, length):
    """Rows among the centres and far from them: what is allowed keeps its promise."""
    noise, b, a = 0.01, B / length, np.concatenate([A, 10 * A]) / length
    coefficients = 3 * RNG.normal(size=(len(B), 1))
    single, double = (asked(shape, a, b, kind)[0].astype(float) @ coefficients for kind in (np.float32, np.float64))
    away = np.abs(single - double).max() / np.sqrt(noise)
    rounded = 1e-6 * np.abs(coefficients).sum() / np.sqrt(noise)  # values themselves are rounded too
    if are_single(shape, SIZE, b, coefficients, noise):
        assert away < 1e-4 + rounded
    assert are_single(shape, SIZE, b, coefficients, noise) == (length > 1)
    assert not are_single(shape, SIZE, b, 1e4 * coefficients, noise)
