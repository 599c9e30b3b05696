"""The formulas of docs/theory/augmentation.md."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from averages import average, moments
from sklearn.linear_model import Ridge
from theory_pages import formula

from taylor_sensus.model.noise_contrast import NoiseDraw, contrast_loss, draw_noise, noise_std, second_view
from taylor_sensus.model.taylor_block import (
    DeepTaylorBlock,
    TaylorEstimate,
    propagated_covariance,
    propagated_variance,
    value_and_jacobian,
)

ROW = np.array([0.4, -0.3])
ADDED = np.diag([0.5, 1.3])
SLOPE = np.array([1.5, -0.7])
CURVATURE = np.array([[0.8, 0.3], [0.3, -0.5]])
Y = 2.0
MANY = 200_000

views_of = jax.jit(second_view)


def quadratic(x):
    """One target; works on rows and tables of them, with NumPy or JAX."""
    return (x @ SLOPE + 0.5 * ((x @ CURVATURE) * x).sum(axis=-1))[..., None]


@cache
def at_row() -> tuple[float, float, float]:
    """Value, J S J^T and tr(H S) of the quadratic at `ROW`, by automatic differentiation."""
    value, jacobian = value_and_jacobian(quadratic, jnp.array(ROW))
    hessian = jax.jit(jax.hessian(lambda x: quadratic(x)[0]))(jnp.array(ROW))
    spread = propagated_variance(jacobian, jnp.diag(jnp.array(ADDED)))
    return float(value[0]), float(spread[0]), float(jnp.trace(hessian @ ADDED))


def twice_bent() -> float:
    """tr(H S H S)."""
    return float(np.trace(np.linalg.matrix_power(CURVATURE @ ADDED, 2)))


def estimate(mean, variance, jacobian=((0.0, 0.0),)) -> TaylorEstimate:
    """What a block might say of one row with one target: all noise is the system's."""
    mean, variance = np.float32(np.atleast_1d(mean)), np.float32(np.atleast_1d(variance))
    return TaylorEstimate(mean, np.float32(jacobian), np.zeros(2, np.float32), variance)  # pyright: ignore[reportArgumentType]


compiled_contrast = jax.jit(contrast_loss, static_argnames="mode")


def contrast(clean, noisy, mode, added=(0.0, 0.0), pull=1.0, push=1.0) -> float:
    return float(compiled_contrast(clean, noisy, np.float32(added), mode=mode, mean_weight=pull, spread_weight=push))


def constant_noise(std: float) -> NoiseDraw:
    """A draw from the library whose std is the same everywhere."""
    one = jnp.ones(1)
    return NoiseDraw(shape=jnp.zeros(1, jnp.int32), size=std * one, slope=one, shift=one)


# ------------------------------------------------------------------------------ noise and the loss


@formula(
    "eq-au-1",
    r"\mathbb{E}_\delta\bigl(y - f(x + \delta)\bigr)^2 = \bigl(y - \bar f(x)\bigr)^2"
    r" + \operatorname{Var}_\delta f(x + \delta)",
)
def test_the_blurred_function_should_fit_and_not_change():
    """On sin(2x), whose blurred version and variance are known in closed form, with the package's noisy views."""
    x, std = 0.6, 0.3
    views, _ = views_of(jax.random.key(0), constant_noise(std), jnp.full((MANY, 1), x))
    loss = np.mean((1.5 - np.sin(2 * np.asarray(views, np.float64))) ** 2)
    q = np.exp(-((2 * std) ** 2))
    blurred, variance = np.sqrt(q) * np.sin(2 * x), 0.5 * (1 - q) * (1 + q * np.cos(4 * x))
    assert (1.5 - blurred) ** 2 + variance == pytest.approx(loss, rel=0.005)
    assert abs((1.5 - np.sin(2 * x)) ** 2 / loss - 1) > 0.1, "far from the loss without noise"


@formula(
    "eq-au-2",
    r"\mathbb{E}_\delta\bigl(y - f(x + \delta)\bigr)^2 = (y - f)^2 + J S J^\top - (y - f) \operatorname{tr}(H S)"
    r" + \tfrac14 \operatorname{tr}(H S)^2 + \tfrac12 \operatorname{tr}(H S H S)",
)
def test_slope_and_curvature_in_the_expected_loss():
    exact = average(lambda d: (Y - quadratic(ROW + d)[:, 0]) ** 2, ADDED, nodes=6)
    value, spread, bend = at_row()
    terms = [(Y - value) ** 2, spread, -(Y - value) * bend, bend**2 / 4, twice_bent() / 2]
    assert sum(terms) == pytest.approx(exact, rel=1e-5)
    assert min(np.abs(terms)) > 0.001 * float(exact), "each term matters"


@formula(
    "eq-au-3",
    r"\mathbb{E}_{y,\delta}\bigl(y - f(x + \delta)\bigr)^2 = \mathbb{E}_y (y - f)^2 + J S J^\top"
    r" + O(\lVert S \rVert^2)",
)
def test_near_the_goal_only_the_squared_slope_is_left():
    """The mean target lies half an S above f; what is not explained shrinks by four when the noise variance halves."""

    def unexplained(size: float, distance: float) -> float:
        def f(x):
            return np.sin(x[:, 0]) * np.exp(x[:, 1])

        jacobian = np.asarray(
            value_and_jacobian(lambda x: (jnp.sin(x[0]) * jnp.exp(x[1]))[None], jnp.array(ROW))[1], np.float64
        )
        goal = f(ROW[None])[0] + distance
        noise = np.diag([*np.diag(size * ADDED), 0.3])  # the added noise, and the noise of y
        exact = average(lambda n: (goal + n[:, 2] - f(ROW + n[:, :2])) ** 2, noise, nodes=20)
        return float(exact - (distance**2 + 0.3) - propagated_variance(jacobian, np.diag(size * ADDED))[0])

    assert unexplained(0.01, 0.005) / unexplained(0.005, 0.0025) == pytest.approx(4, rel=0.1)
    assert unexplained(0.01, 1.0) / unexplained(0.005, 1.0) == pytest.approx(2, rel=0.1), "far from it, bends count"


# ---------------------------------------------------------------------------------- linear functions


def table(rows: int = 40):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 2)) @ np.array([[1.0, 0.4], [0.0, 0.7]])
    return x, x @ np.array([1.0, -2.0]) + rng.normal(0, 0.3, rows)


def copies(x: np.ndarray) -> np.ndarray:
    """Four moved copies of each row whose displacements have exactly mean zero and covariance `ADDED`."""
    moves = np.sqrt(2) * np.concatenate([np.sqrt(ADDED), -np.sqrt(ADDED)])
    return (x[:, None, :] + moves).reshape(-1, 2)


@formula(
    "eq-au-4",
    r"\sum_i \mathbb{E}_\delta\bigl(y_i - w^\top (x_i + \delta)\bigr)^2 = \lVert y - X w \rVert^2 + N\,w^\top S\,w",
)
def test_noise_on_the_inputs_of_a_line_is_a_penalty_on_its_slope():
    x, y = table()
    w = np.array([0.8, -1.1])
    draw = eqx.tree_at(lambda d: d.shape, draw_noise(jax.random.key(1), 2, 0.3), jnp.zeros(2, jnp.int32))
    views, added = views_of(jax.random.key(2), draw, jnp.array(np.repeat(x, 5000, axis=0)))
    simulated = np.sum((np.repeat(y, 5000) - np.asarray(views) @ w) ** 2) / 5000
    penalty = len(x) * w @ np.diag(np.asarray(added[0], np.float64)) @ w
    assert np.sum((y - x @ w) ** 2) + penalty == pytest.approx(simulated, rel=0.005)
    assert penalty > 0.02 * simulated


@formula("eq-au-5", r"w = (X^\top X + N S)^{-1} X^\top y")
def test_least_squares_on_noisy_copies_is_ridge_regression():
    x, y = table()
    on_copies = np.linalg.lstsq(copies(x), np.repeat(y, 4), rcond=None)[0]
    assert np.linalg.solve(x.T @ x + len(x) * ADDED, x.T @ y) == pytest.approx(on_copies, rel=1e-9)
    scale = np.sqrt(np.diag(ADDED))
    ridge = Ridge(alpha=len(x), fit_intercept=False).fit(x / scale, y).coef_ / scale
    assert on_copies == pytest.approx(ridge, rel=1e-6)
    assert np.linalg.norm(on_copies) < 0.9 * np.linalg.norm(np.linalg.lstsq(x, y, rcond=None)[0])


@formula("eq-au-6", r"w = b\,\frac{V}{V + S}")
def test_added_noise_flattens_the_law():
    rng = np.random.default_rng(1)
    x = rng.normal(0, np.sqrt(2.0), (MANY, 1))
    views, _ = views_of(jax.random.key(2), constant_noise(np.sqrt(0.7)), jnp.array(x))
    learned = np.polyfit(np.asarray(views, np.float64)[:, 0], 1.8 * x[:, 0], 1)[0]
    assert learned == pytest.approx(1.8 * 2.0 / 2.7, rel=0.01)


# -------------------------------------------------------------------------------------- two views


@formula(
    "eq-au-7",
    r"\mathbb{E}_\delta\bigl(f(x + \delta) - f(x)\bigr)^2 = J S J^\top + \tfrac14 \operatorname{tr}(H S)^2"
    r" + \tfrac12 \operatorname{tr}(H S H S)",
)
def test_the_pull_is_the_penalty_without_the_curvature_term():
    clean = estimate(quadratic(ROW), 1.0)

    def pull(moves):
        return np.array([contrast(clean, estimate(quadratic(ROW + move), 1.0), "printed") for move in moves])

    _, spread, bend = at_row()
    assert spread + bend**2 / 4 + twice_bent() / 2 == pytest.approx(average(pull, ADDED, nodes=3), rel=1e-5)


@formula("eq-au-8", r"\mathbb{E}_{S,\delta}\bigl(f(x + \delta) - f(x)\bigr)^2 = J\,\bar S(x)\,J^\top")
def test_of_a_random_noise_only_the_average_counts():
    """Many rows are drawn at once as many features, each with a noise function of its own; one input, slope 1.5."""
    here, draws = jnp.full(MANY, 0.4), jax.jit(lambda key: draw_noise(key, MANY, 0.3))
    views, _ = views_of(jax.random.key(4), draws(jax.random.key(3)), here)
    clean = TaylorEstimate(1.5 * here, jnp.zeros((MANY, 1)), jnp.zeros(1), jnp.ones(MANY))
    noisy = TaylorEstimate(1.5 * views, jnp.zeros((MANY, 1)), jnp.zeros(1), jnp.ones(MANY))
    pull = contrast(clean, noisy, "bounded", (0.0,)) / MANY
    variances = jax.jit(noise_std)(draws(jax.random.key(5)), here) ** 2
    assert pull == pytest.approx(float(propagated_variance(np.array([[1.5]]), np.mean(variances)[None])[0]), rel=0.03)
    assert np.std(variances) > 0.3 * np.mean(variances), "noises differ much"


@formula("eq-au-9", r"L = \lambda_1 (\mu_n - \mu_{CL})^2 - \lambda_2\,g^2")
def test_the_printed_contrast_has_no_bound():
    clean, noisy = estimate(1.0, 0.5), estimate(1.7, 0.5 * np.exp(3.0))
    assert contrast(clean, noisy, "printed", pull=2.0, push=0.1) == pytest.approx(2.0 * 0.49 - 0.1 * 9, rel=1e-5)
    for direction in (1, -1):
        depths = [contrast(clean, estimate(1.0, 0.5 * 10.0 ** (direction * p)), "printed") for p in (1, 10, 30)]
        assert depths == sorted(depths, reverse=True) and depths[-1] < -4000


@formula("eq-au-10", r"L = \lambda_1 (\mu_n - \mu_{CL})^2 - \lambda_2\,\frac{g^2}{1 + g^2}")
def test_the_bounded_contrast_gains_no_more_than_its_weight():
    clean, noisy = estimate(1.0, 0.5), estimate(1.7, 0.5 * np.exp(3.0))
    assert contrast(clean, noisy, "bounded", pull=2.0, push=0.1) == pytest.approx(2.0 * 0.49 - 0.1 * 0.9, rel=1e-5)
    for far in (1e-30, 1e30):
        assert -0.3 < contrast(clean, estimate(1.0, far), "bounded", push=0.3) < -0.299


@formula("eq-au-11", r"\Sigma_{CL} = \Sigma_n + J S J^\top")
def test_the_variance_that_the_added_noise_implies():
    """A linear system that really works at x + n + delta has the variance at which the `theory` contrast is zero."""
    jacobian, added = ((2.0, -1.0),), (0.1, 0.4)
    own = np.diag([0.3, 0.2, 0.5])  # two inputs' noise and the system's

    def response(noise):
        return noise[:, :2] @ np.array(jacobian).T + noise[:, 2:]

    before = moments(response, own, nodes=4).covariance[0, 0]
    after = moments(response, own + np.diag([*added, 0.0]), nodes=4).covariance[0, 0]
    clean = TaylorEstimate(jnp.ones(1), jnp.array(jacobian), jnp.array([0.3, 0.2]), jnp.array([0.5]))
    assert float(clean.variance[0]) == pytest.approx(before, rel=1e-5)
    assert contrast(clean, estimate(1.0, after), "theory", added) == pytest.approx(0, abs=1e-9)
    for wrong in (before, 1.1 * after, 0.9 * after):
        assert contrast(clean, estimate(1.0, wrong), "theory", added) > 1e-3


@formula("eq-au-12", r"\mathbb{E}_\delta\,\Sigma(x + \delta) = \Sigma(x) + \tfrac12 \operatorname{tr}(H_\Sigma S)")
def test_a_moved_point_does_not_show_that_it_was_moved():
    class Steep(eqx.Module):
        def __call__(self, x, masks=None):
            return jnp.array([SLOPE]) @ x

    class Same(eqx.Module):
        def __call__(self, x):
            return jnp.array([0.3, 0.2])

    class Bent(eqx.Module):
        def __call__(self, x):
            return (5 + x @ SLOPE + 0.5 * x @ CURVATURE @ x)[None]

    block = DeepTaylorBlock(Steep(), Same(), Bent())  # pyright: ignore[reportArgumentType]
    variance = jax.jit(jax.vmap(lambda x: block(x).variance[0]))
    seen = average(lambda moves: np.asarray(variance(jnp.array(ROW + moves)), np.float64), ADDED, nodes=6)
    here = float(variance(jnp.array(ROW)[None])[0])
    assert here + np.trace(CURVATURE @ ADDED) / 2 == pytest.approx(seen, rel=1e-5)
    implied = propagated_covariance(jnp.array([SLOPE]), jnp.diag(jnp.array(ADDED)), jnp.array([here]))[0, 0]
    assert float(implied) - here > 1, "what the added noise would do to the system is quite another number"
