"""The formulas of docs/theory/noise_transformation.md, by exact averages over the noise or by drawing it."""

import re
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from averages import average, moments
from scipy.stats import norm
from theory_pages import PAGES, formula

from taylor_sensus.datasets.synthetic import toy_2d
from taylor_sensus.model.loss import heteroscedastic_mse
from taylor_sensus.model.taylor_block import propagated_covariance, propagated_variance, value_and_jacobian

ROW = np.array([0.4, -0.3])
INPUT_VARIANCE = np.array([0.5, 1.3])
SYSTEM_VARIANCE = np.array([0.2, 0.6])
SLOPES = np.array([[1.5, -0.7], [0.3, 2.0]])
CURVATURES = np.array([[[0.8, 0.3], [0.3, -0.5]], [[-0.4, 0.6], [0.6, 0.9]]])


def linear(x):
    """Two targets of one row, with NumPy or JAX."""
    return SLOPES @ x + 3.0


def quadratic(x):
    """Two targets with `SLOPES` at 0 and `CURVATURES` everywhere."""
    return linear(x) + 0.5 * (CURVATURES @ x) @ x


@cache
def quadratic_jacobian() -> np.ndarray:
    """At `ROW`, by the package; the same as SLOPES + CURVATURES @ ROW."""
    jacobian = np.asarray(value_and_jacobian(quadratic, jnp.array(ROW))[1], np.float64)
    assert jacobian == pytest.approx(SLOPES + CURVATURES @ ROW, rel=1e-5)
    return jacobian


def noisy(function):
    """F(x + n) + e as a function of the four noises n, e."""
    return lambda noise: np.array([function(ROW + n) for n in noise[:, :2]]) + noise[:, 2:]


BOTH_NOISES = np.diag([*INPUT_VARIANCE, *SYSTEM_VARIANCE])

# ------------------------------------------------------------------------------------ first order


@formula("eq-nt-1", r"F(x + n) = F(x) + J\,n + O(\lVert n \rVert^2)")
def test_what_first_order_leaves_out_shrinks_with_the_square():
    def curved(x):
        return jnp.stack([jnp.exp(x[0]) * jnp.sin(x[1]), x[0] ** 3 * x[1]])

    value, jacobian = jax.jit(lambda x: value_and_jacobian(curved, x))(jnp.array(ROW))

    def left_out(size: float) -> float:
        x, y = ROW + size * np.array([0.6, 0.8])
        exact = np.array([np.exp(x) * np.sin(y), x**3 * y])
        return float(np.linalg.norm(exact - value - jacobian @ np.array([0.6, 0.8]) * size))

    assert left_out(0.1) / left_out(0.05) == pytest.approx(4, rel=0.1)
    assert left_out(0.05) / left_out(0.025) == pytest.approx(4, rel=0.1)


@formula("eq-nt-2", r"\Sigma_y = J\,\Sigma_i\,J^\top + \Sigma_o")
@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
def test_the_rule_is_exact_for_a_linear_function_and_noise_of_any_size(size):
    exact = moments(noisy(linear), size**2 * BOTH_NOISES, nodes=4)
    _, jacobian = value_and_jacobian(linear, jnp.array(ROW))
    ours = propagated_covariance(jacobian, jnp.array(size**2 * INPUT_VARIANCE), jnp.array(size**2 * SYSTEM_VARIANCE))
    assert np.asarray(ours) == pytest.approx(exact.covariance, rel=1e-5)
    assert abs(exact.covariance[0, 1]) > 0.1 * size**2, "targets are correlated through their common inputs"
    assert exact.mean == pytest.approx(linear(ROW)), "and the mean does not move"


@formula("eq-nt-3", r"\sigma_y^2 = \sum_j J_j^2\,\sigma_j^2 + \sigma_o^2")
def test_variances_that_one_input_at_a_time_causes_add_up():
    alone = [
        average(lambda n, j=j: (n @ SLOPES[:1, j : j + 1].T) ** 2, [[INPUT_VARIANCE[j]]], nodes=4)[0] for j in (0, 1)
    ]
    together = propagated_variance(SLOPES, INPUT_VARIANCE)[0] + SYSTEM_VARIANCE[0]
    assert together == pytest.approx(sum(alone) + SYSTEM_VARIANCE[0])
    assert together == pytest.approx(moments(noisy(linear), BOTH_NOISES, nodes=4).covariance[0, 0])


@formula("eq-nt-4", r"J\,\Sigma_i\,J^\top = \sum_j J_j^2\,\Sigma_{jj} + 2 \sum_{j<k} J_j J_k\,\Sigma_{jk}")
def test_inputs_that_move_together_need_the_terms_that_the_code_leaves_out():
    toy = toy_2d(0)
    x = np.array([[2.0, 1.0], [-1.0, 3.0], [3.0, -4.0]])
    jacobian, std = toy.gradient(x), 1e-3 * toy.feature_noise_std(x)
    draw = np.random.default_rng(0).standard_normal((400_000, 1))
    for row, slopes, size in zip(x, jacobian, std, strict=True):
        simulated = np.var(toy.truth(row + size * draw))  # both inputs of this toy share one draw
        independent = float(propagated_variance(slopes[None], size**2)[0])
        together = independent + 2 * slopes[0] * slopes[1] * size[0] * size[1]
        assert together == pytest.approx(simulated, rel=0.01)
        assert abs(independent / simulated - 1) > 0.05


# ----------------------------------------------------------------------------------- second order


@formula("eq-nt-5", r"\mathbb{E}[y] = F(x) + \tfrac12 \operatorname{tr}(H\,\Sigma_i)")
def test_curvature_moves_the_mean():
    exact = moments(noisy(quadratic), BOTH_NOISES, nodes=6).mean
    hessian = np.asarray(jax.jit(jax.hessian(quadratic))(jnp.array(ROW)), np.float64)
    shift = 0.5 * np.array([np.trace(h @ np.diag(INPUT_VARIANCE)) for h in hessian])
    assert exact == pytest.approx(quadratic(ROW) + shift, rel=1e-5)
    assert np.all(np.abs(shift) > 0.1)


@formula(
    "eq-nt-6",
    r"\operatorname{Cov}(y_a, y_b) = J_a\,\Sigma_i\,J_b^\top + \tfrac12 \operatorname{tr}(H_a \Sigma_i H_b \Sigma_i)"
    r" + \Sigma_{o,ab}",
)
def test_curvature_adds_variance():
    exact = moments(noisy(quadratic), BOTH_NOISES, nodes=6).covariance
    first = propagated_covariance(
        jnp.array(quadratic_jacobian()), jnp.array(INPUT_VARIANCE), jnp.array(SYSTEM_VARIANCE)
    )
    bent = CURVATURES @ np.diag(INPUT_VARIANCE)
    second = 0.5 * np.array([[np.trace(a @ b) for b in bent] for a in bent])
    assert np.asarray(first) + second == pytest.approx(exact, rel=1e-5)
    assert np.all(np.abs(second) > 0.05)


@formula(
    "eq-nt-7",
    r"\mathbb{E}\bigl[(y - \mathbb{E} y)^3\bigr] = 3\,J\,\Sigma_i H\,\Sigma_i J^\top"
    r" + \operatorname{tr}\bigl((H\,\Sigma_i)^3\bigr)",
)
def test_curvature_makes_the_scatter_lopsided():
    exact = moments(noisy(quadratic), BOTH_NOISES, nodes=6).third
    spread = np.diag(INPUT_VARIANCE)
    for jacobian, bend, third in zip(quadratic_jacobian(), CURVATURES, exact, strict=True):
        along_slope = 3 * jacobian @ spread @ bend @ spread @ jacobian
        assert along_slope + np.trace(np.linalg.matrix_power(bend @ spread, 3)) == pytest.approx(third, rel=1e-4)
        assert abs(third) > 0.1
    assert moments(noisy(linear), BOTH_NOISES, nodes=6).third == pytest.approx(0, abs=1e-9)


# ---------------------------------------------------------------------------------- when it fails


@formula(
    "eq-nt-8",
    r"\frac{\operatorname{Var} F(x + n)}{J^2 \sigma^2} = 1 + \tfrac12 \Bigl(\frac{\sigma H}{J}\Bigr)^2",
)
def test_the_slope_must_hardly_change_over_one_error_bar():
    def parabola(x):
        return 0.7 * x**2

    for x, std in ((2.0, 0.1), (2.0, 1.0), (0.1, 0.5)):
        exact = moments(lambda n, x=x: parabola(x + n), [[std**2]], nodes=5).covariance[0, 0]
        _, jacobian = value_and_jacobian(parabola, jnp.array([x]))
        first = float(propagated_variance(jacobian, jnp.array([std**2]))[0])
        assert exact / first == pytest.approx(1 + 0.5 * (std * 1.4 / float(jacobian[0, 0])) ** 2, rel=1e-5)
    bottom = value_and_jacobian(parabola, jnp.zeros(1))[1]
    assert propagated_variance(bottom, jnp.array([0.25])) == 0, "at the bottom first order sees no noise at all"
    assert moments(parabola, [[0.25]], nodes=5).covariance[0, 0] > 0.05


def exact_wave_variance(angle: float, size: float) -> float:
    q = np.exp(-(size**2))
    return float(0.5 * (1 - q) * (1 + q * np.cos(2 * angle)))


@formula("eq-nt-9", r"\operatorname{Var} F(x + n) = \tfrac12 (1 - q)(1 + q \cos 2 \omega x)")
def test_noise_blurs_a_wave():
    omega = 3.0
    for x in (0.0, 0.2, np.pi / 2 / omega, 1.0):
        for std in (0.03, 0.3, 1.0):
            exact = moments(lambda n, x=x: np.sin(omega * (x + n)), [[std**2]], nodes=60).covariance[0, 0]
            assert exact_wave_variance(omega * x, omega * std) == pytest.approx(exact, rel=1e-6)


def test_the_table_of_the_wave():
    text = (PAGES / "noise_transformation.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ([\d.]+) \| ([\d.]+) \|$", text, re.M)
    assert len(lines) == 4
    for size, told in lines:
        _, jacobian = value_and_jacobian(jnp.sin, jnp.zeros(1))
        first = float(propagated_variance(jacobian, jnp.array([float(size) ** 2]))[0])
        exact = moments(np.sin, [[float(size) ** 2]], nodes=60).covariance[0, 0]
        assert f"{np.sqrt(first / exact):.{len(told.split('.')[1])}f}" == told


# ------------------------------------------------------------------------------------ whose scatter


@formula(
    "eq-nt-10",
    r"J^2 \Bigl(\sigma_i^2 - \frac{c}{J^2}\Bigr) + (\sigma_o^2 + c) = J^2 \sigma_i^2 + \sigma_o^2",
)
def test_two_stories_give_every_target_the_same_probability():
    slope, rng = 1.7, np.random.default_rng(1)
    y = jnp.array(rng.normal(size=20))
    losses, quantiles = [], []
    for c in (-0.3, 0.0, 0.5):
        variance_i, variance_o = 0.4 - c / slope**2, 0.35 + c
        variance = propagated_variance(jnp.array([[slope]]), jnp.array([variance_i])) + variance_o
        losses.append(jax.vmap(lambda one, v=variance: heteroscedastic_mse(one, jnp.zeros(1), v))(y[:, None]).tolist())
        draws = slope * rng.normal(0, np.sqrt(variance_i), 200_000) + rng.normal(0, np.sqrt(variance_o), 200_000)
        quantiles.append(np.quantile(draws, [0.01, 0.1, 0.5, 0.9, 0.99]))
    expected = norm(0, np.sqrt(slope**2 * 0.4 + 0.35)).ppf([0.01, 0.1, 0.5, 0.9, 0.99])
    for loss, quantile in zip(losses, quantiles, strict=True):
        assert loss == pytest.approx(losses[0], rel=1e-5)
        assert quantile == pytest.approx(expected, abs=0.04)


@formula("eq-nt-11", r"\mathbb{E}[r^2 \mid x] = \sigma_o^2 + \sigma_i^2\,J(x)^2")
def test_the_same_noise_at_different_slopes_tells_the_parts_apart():
    rng = np.random.default_rng(2)
    x = rng.uniform(-2, 2, 200_000)
    std_i, std_o = 0.02, 0.05
    residual = np.exp(x + std_i * rng.standard_normal(x.size)) + std_o * rng.standard_normal(x.size) - np.exp(x)
    squared_slope = np.array(jax.vmap(lambda v: value_and_jacobian(jnp.exp, v)[1][0, 0] ** 2)(jnp.array(x[:, None])))
    design = np.stack([squared_slope, np.ones(x.size)], axis=1) / (1 + squared_slope[:, None])
    slope, intercept = np.linalg.lstsq(design, residual**2 / (1 + squared_slope), rcond=None)[0]
    assert (slope, intercept) == pytest.approx((std_i**2, std_o**2), rel=0.02)


@formula(
    "eq-nt-12",
    r"\operatorname{Cov}(y_a, y_b) = \sum_j J_{aj} J_{bj}\,\sigma_j^2 \qquad (a \neq b)",
)
def test_only_noise_of_the_inputs_makes_targets_move_together():
    ours = propagated_covariance(jnp.array(SLOPES), jnp.array(INPUT_VARIANCE), jnp.array(SYSTEM_VARIANCE))[0, 1]
    assert float(ours) == pytest.approx(moments(noisy(linear), BOTH_NOISES, nodes=4).covariance[0, 1], rel=1e-5)
    only_system = np.diag([1e-12, 1e-12, *SYSTEM_VARIANCE])
    assert moments(noisy(linear), only_system, nodes=4).covariance[0, 1] == pytest.approx(0, abs=1e-9)


# ------------------------------------------------------------------------- set points and readings


def readings(size: int = 400_000):
    """A law with slope 1.8, true values of variance 2, readings with noise of variance 0.7, system noise 0.3."""
    rng = np.random.default_rng(3)
    true = rng.normal(5.0, np.sqrt(2.0), size)
    y = 1.8 * true + rng.normal(0, np.sqrt(0.3), size)
    return true + rng.normal(0, np.sqrt(0.7), size), y


@formula("eq-nt-13", r"\text{slope of } y \text{ on } x = b\,\frac{V}{V + \sigma_i^2}")
def test_a_line_through_noisy_readings_is_flatter_than_the_law():
    x, y = readings()
    slope, _ = np.polyfit(x, y, 1)
    assert slope == pytest.approx(1.8 * 2.0 / 2.7, rel=0.01)


@formula("eq-nt-14", r"\operatorname{Var}(y \mid x) = b^2\,\frac{V \sigma_i^2}{V + \sigma_i^2} + \sigma_o^2")
def test_readings_scatter_less_than_set_points_would():
    x, y = readings()
    scatter = np.var(y - np.polyval(np.polyfit(x, y, 1), x))
    assert scatter == pytest.approx(1.8**2 * 2.0 * 0.7 / 2.7 + 0.3, rel=0.01)
    assert scatter < 0.8 * float(propagated_variance(np.array([[1.8]]), np.array([0.7]))[0] + 0.3)
    near = y[np.abs(x - 7.0) < 0.05]
    assert np.var(near) == pytest.approx(scatter, rel=0.05), "the same for readings of one value"
