"""The one tail function: the identity near 0, ordered and odd, with tails that grow as promised."""

import jax.numpy as jnp
import numpy as np
import pytest

from taylor_sensus.model.squash import squash, squash_slope

X = np.linspace(-100, 100, 2001)
TAILS = ["flat", "root", "log"]


@pytest.mark.parametrize("tail", TAILS)
def test_order_and_sign_are_kept(tail):
    assert np.all(np.diff(squash(X, 3.0, tail)) > 0) and np.array_equal(squash(-X, 3.0, tail), -squash(X, 3.0, tail))
    assert squash(np.float64(1e-4), 3.0, tail) == pytest.approx(1e-4, rel=1e-3)
    assert np.allclose(squash(jnp.asarray(X, jnp.float32), 3.0, tail), squash(X, 3.0, tail), rtol=1e-5)
    assert squash(X.astype(np.float32), 3.0, tail).dtype == np.float32


def test_tails_grow_as_promised():
    assert squash(np.float64(1e6), 3.0) == pytest.approx(3, rel=1e-4)
    assert squash(np.float64(5e5), tail="root") == pytest.approx(1000, rel=2e-3), "the root of twice the value"
    assert squash(np.float64(1e6), 2.0, "log") == pytest.approx(2 * np.log(1e6), rel=1e-6)


@pytest.mark.parametrize("tail", ["flat", "log"])
def test_slope_is_the_derivative(tail):
    step = 1e-5
    wanted = (squash(X + step, 3.0, tail) - squash(X - step, 3.0, tail)) / (2 * step)
    np.testing.assert_allclose(squash_slope(X, 3.0, tail), wanted, atol=1e-8)
