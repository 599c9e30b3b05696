"""The formulas of docs/theory/combination.md on familiarity, by plain loops over rows."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy
from theory_pages import formula

from taylor_sensus.model.density import (
    DensityPerception,
    density_divergence,
    familiarity,
    neighbour_log_density,
    reference_of,
)
from taylor_sensus.model.squash import squash


def rows(count: int = 60, features: int = 2, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, features))


@cache
def perception() -> DensityPerception:
    """A crowd, and a few scattered rows beside it."""
    table = np.concatenate([rows(40), 3 + 3 * rows(12, seed=1)])
    return DensityPerception.initial(squash(table, tail="root"), 256, np.random.default_rng(0))


look = jax.jit(lambda points: jax.vmap(perception())(points))


def attention(points: np.ndarray) -> np.ndarray:
    """Of points in compressed coordinates, by the package."""
    return np.asarray(look(jnp.array(points, jnp.float32)), np.float64)


@formula("eq-co-9", r"\rho = \sum_{i=1}^{K} \frac{1}{\max(d_i^2, d_{\min}^2)}")
def test_density_by_sorting_all_distances():
    table = rows()
    table[7] = table[3]  # a duplicate, at distance 0
    typical = []
    for i, row in enumerate(table):
        typical.append(min(np.sum((row - other) ** 2) for j, other in enumerate(table) if j != i) ** 0.5)
    floor = (np.median(typical) / 2) ** 2
    ours = np.exp(neighbour_log_density(table, table, 5, own=True))
    reached = 0
    for i, row in enumerate(table):
        squared = sorted(np.sum((row - other) ** 2) for j, other in enumerate(table) if j != i)[:5]
        reached += squared[0] < floor
        assert ours[i] == pytest.approx(sum(1 / max(d, floor) for d in squared), rel=1e-9)
    assert 2 <= reached < 20, "the floor is reached, by few"
    new = np.array([[0.3, 0.1]])
    squared = sorted(np.sum((new[0] - other) ** 2) for other in table)[:5]
    expected = sum(1 / max(d, floor) for d in squared)
    assert np.exp(neighbour_log_density(new, table, 5, own=False))[0] == pytest.approx(expected, rel=1e-9)


def test_a_softmax_of_the_density_itself_sees_one_row():
    """Why the softmax is taken of the logarithm: this gives shares that sum to one and do not depend on units."""
    density = np.exp(neighbour_log_density(rows(), rows(), 5, own=True))
    assert softmax(density).max() > 0.99
    assert softmax(1e-4 * density).max() < 0.05, "in other units all rows are alike"
    for unit in (1.0, 1e-4):
        assert softmax(np.log(unit * density)) == pytest.approx(density / density.sum(), rel=1e-9)


@formula(
    "eq-co-10",
    r"a(x) = \log \sum_j r_j^{-2} \exp\Bigl(-\frac{\lVert M (x - x_j) \rVert^2}{2 r_j^2}\Bigr)",
)
def test_attention_by_a_loop_over_landmarks():
    seen = perception()
    metric = np.exp(seen.log_metric.astype(np.float64))
    assert np.ptp(seen.reach.value) > 0.5
    points = np.array([[0.2, -0.4], [1.5, 2.0], [-3.0, 0.5]])
    for x, ours in zip(points, attention(points), strict=True):
        found = 0.0
        for landmark, reach in zip(np.float64(seen.landmarks.value), np.float64(seen.reach.value), strict=True):
            squared = sum((m * (a - b)) ** 2 for m, a, b in zip(metric, x, landmark, strict=True))
            found += np.exp(-squared / (2 * reach**2)) / reach**2
        assert ours == pytest.approx(np.log(found), rel=1e-3, abs=1e-3)


@formula("eq-co-11", r"L_{KL} = \sum_i \mathcal{K}_i \log \frac{\mathcal{K}_i}{\rho_i}")
def test_divergence_of_shares():
    rng = np.random.default_rng(2)
    attention, density = rng.normal(size=30), rng.normal(size=30)
    shares = np.exp(attention) / np.exp(attention).sum(), np.exp(density) / np.exp(density).sum()
    ours = float(density_divergence(jnp.array(attention), jnp.array(density)))
    assert ours == pytest.approx(entropy(*shares), rel=1e-4)
    assert ours != pytest.approx(entropy(*shares[::-1]), rel=1e-2)
    assert density_divergence(jnp.array(density) + 3, jnp.array(density)) == pytest.approx(0, abs=1e-6)


@formula("eq-co-12", r"k = \frac{1}{1 + \exp\bigl(-(a(x) - m + c\,s)\,/\,(c\,s/7)\bigr)}")
def test_familiarity_of_usual_and_unusual_rows():
    usual = 5 + 2 * np.random.default_rng(3).standard_normal(20_000)
    middle, spread = np.median(usual), (np.median(usual) - np.quantile(usual, 0.1)) / 1.28
    assert spread == pytest.approx(2, rel=0.05), "a standard deviation, if the rows are normal"
    for spread_factor in (2.0, 3.0, 12.0):
        reference = reference_of(jnp.array(usual), spread_factor=spread_factor)
        for a in (middle, middle - spread_factor * spread, -3.0, 1.0):
            expected = 1 / (1 + np.exp(-7 * (a - (middle - spread_factor * spread)) / (spread_factor * spread)))
            assert float(familiarity(jnp.array(a), reference)) == pytest.approx(expected, abs=1e-4)
        assert f"{float(familiarity(jnp.array(middle), reference)):.3f}" == "0.999"
        assert float(familiarity(jnp.array(middle - spread_factor * spread), reference)) == pytest.approx(0.5, abs=1e-3)


@formula("eq-co-13", r"z(x) = \operatorname{sign}(x) \bigl(\sqrt{1 + 2 |x|} - 1\bigr)")
def test_tails_are_drawn_in_like_a_root():
    x = np.array([-1e6, -30.0, -1.0, -0.01, 0.0, 0.01, 1.0, 30.0, 1e6])
    assert squash(x, tail="root") == pytest.approx(np.sign(x) * (np.sqrt(1 + 2 * np.abs(x)) - 1), rel=1e-9)


@formula("eq-co-14", r"\frac{a(x)}{|x|} \to -\frac{M^2}{r^2}")
def test_familiarity_falls_exponentially_with_distance():
    seen = perception()
    limit = -float(np.exp(2 * seen.log_metric[0]) / np.max(seen.reach.value) ** 2)
    far = np.array([[1e3, 0.2], [1e5, 0.2], [1e7, 0.2]])
    gaps = np.abs(attention(squash(far, tail="root")) / far[:, 0] / limit - 1)
    assert np.all(np.diff(gaps) < 0) and gaps[-1] < 0.01
    usual = reference_of(attention(seen.landmarks.value))
    assert np.all(familiarity(attention(squash(far, tail="root")), usual) < 1e-6)
