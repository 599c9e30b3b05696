"""Noise-aware contrastive learning: the library of noise, the second view, and what the loss rewards."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from taylor_sensus.model.noise_contrast import (
    LIBRARY,
    NoiseDraw,
    contrast_loss,
    draw_noise,
    noise_std,
    second_view,
)
from taylor_sensus.model.taylor_block import TaylorEstimate

MODES = pytest.mark.parametrize("mode", ["printed", "bounded", "theory"])


def estimate(mean, variance, jacobian=None) -> TaylorEstimate:
    """What a block might say: all noise from the system, one target for each mean."""
    mean, variance = jnp.atleast_1d(jnp.asarray(mean, float)), jnp.atleast_1d(jnp.asarray(variance, float))
    jacobian = jnp.zeros((len(mean), 2)) if jacobian is None else jnp.asarray(jacobian, float)
    return TaylorEstimate(mean, jacobian, jnp.zeros(2), variance)


def loss(clean, noisy, mode, added=(0.0, 0.0), mean_weight=1.0, spread_weight=1.0) -> float:
    return float(
        contrast_loss(clean, noisy, jnp.array(added), mode=mode, mean_weight=mean_weight, spread_weight=spread_weight)
    )


# ---------------------------------------------------------------------------------- the library


@pytest.mark.parametrize("name", LIBRARY)
def test_every_shape_is_finite_and_never_negative(name):
    number = list(LIBRARY).index(name)
    x = np.concatenate([np.linspace(-10, 10, 201), [-1e30, -1e6, 1e6, 1e30]]).astype(np.float32)[:, None]
    for slope in (2**-1.5, 1.0, 2**1.5):
        for shift in (-2.0, 0.0, 2.0):
            draw = NoiseDraw(
                jnp.array([number]), size=jnp.array([0.5]), slope=jnp.array([slope]), shift=jnp.array([shift])
            )
            std = np.asarray(noise_std(draw, jnp.asarray(x)))
            assert np.all(np.isfinite(std)) and np.all(std >= 0)
            assert 0 < std.max() < 0.5 * 7


def test_shapes_differ():
    x = jnp.linspace(-2, 2, 50)
    curves = [np.asarray(shape(x, 1.3, 0.4)) for shape in LIBRARY.values()]
    assert len(LIBRARY) == 6
    for first in range(6):
        for second in range(first):
            assert np.max(np.abs(curves[first] - curves[second])) > 0.1


def test_each_feature_has_the_shape_that_was_drawn_for_it():
    x = jnp.array([[0.3, -1.2], [1.0, 0.5]])
    draw = NoiseDraw(jnp.array([4, 1]), jnp.array([0.1, 0.2]), jnp.array([1.5, 0.7]), jnp.array([-0.5, 1.0]))
    sigmoid = 0.1 / (1 + np.exp(-2 * (1.5 * x[:, 0] - 0.5)))
    linear = 0.2 * np.abs(0.7 * x[:, 1] + 1.0) / 2
    assert np.asarray(noise_std(draw, x)) == pytest.approx(np.stack([sigmoid, linear], axis=1), rel=1e-5)
    assert np.allclose(noise_std(draw, x[0]), noise_std(draw, x)[0]), "a row alone or in a batch"


def test_draws_use_the_whole_library_and_spread_around_the_typical_size():
    draw = draw_noise(jax.random.key(0), 6000, 0.1)
    counts = np.bincount(np.asarray(draw.shape), minlength=6)
    assert len(counts) == 6 and counts.min() > 850
    assert np.median(draw.size) == pytest.approx(0.1, rel=0.1)
    assert np.min(draw.size) >= 0.1 / 4 and np.max(draw.size) <= 0.1 * 4
    other = draw_noise(jax.random.key(1), 6000, 0.1)
    assert not np.array_equal(draw.shape, other.shape)


def test_the_second_view_has_the_noise_it_says():
    draw = draw_noise(jax.random.key(2), 6, 0.3)
    row = jnp.array([0.5, -0.2, 1.0, -1.5, 0.0, 2.0])
    rows = jnp.tile(row, (40_000, 1))
    view, added = second_view(jax.random.key(3), draw, rows)
    assert np.allclose(added[0], noise_std(draw, row) ** 2)
    std = np.sqrt(added[0])
    assert np.all(np.abs(np.mean(view - rows, axis=0)) <= 4 * std / 200)
    assert np.var(view - rows, axis=0) == pytest.approx(np.asarray(added[0]), rel=0.03)
    again, _ = second_view(jax.random.key(4), draw, rows)
    assert not np.array_equal(view, again)


# ------------------------------------------------------------------------------------- the loss


@MODES
def test_means_are_pulled_together(mode):
    clean = estimate([1.0, 2.0], [0.5, 0.5])
    near, far = estimate([1.1, 2.0], [0.5, 0.5]), estimate([3.0, 2.0], [0.5, 0.5])
    assert loss(clean, far, mode) - loss(clean, near, mode) == pytest.approx(4 - 0.01, rel=1e-5)
    assert loss(clean, far, mode, mean_weight=0.5, spread_weight=0.0) == pytest.approx(2)


def test_printed_contrast_by_hand_and_without_bound():
    clean = estimate(0.0, 1.0)
    assert loss(clean, estimate(0.5, np.e), "printed", spread_weight=2.0) == pytest.approx(0.25 - 2)
    depths = [loss(clean, estimate(0.0, variance), "printed") for variance in (1e3, 1e10, 1e30)]
    assert depths == sorted(depths, reverse=True) and depths[-1] < -4000


def test_bounded_contrast_rewards_a_gap_but_not_without_end():
    clean = estimate([0.0, 0.0], [1.0, 1.0])
    gaps = [loss(clean, estimate([0.0, 0.0], [v, v]), "bounded", spread_weight=0.3) for v in (1.0, 2.0, 10.0, 1e30)]
    assert gaps[0] == 0
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] > -0.3 * 2, "never below one spread weight a target"
    # For small gaps it is the printed push.
    small = estimate([0.0, 0.0], [1.01, 1.0])
    assert loss(clean, small, "bounded") == pytest.approx(loss(clean, small, "printed"), rel=1e-3)


def test_bounded_contrast_has_a_fading_slope():
    def at(log_variance):
        noisy = TaylorEstimate(jnp.zeros(1), jnp.zeros((1, 2)), jnp.zeros(2), jnp.exp(log_variance)[None])
        weights = {"mean_weight": 1.0, "spread_weight": 1.0}
        return contrast_loss(estimate(0.0, 1.0), noisy, jnp.zeros(2), mode="bounded", **weights)

    slopes = [float(jax.grad(at)(jnp.array(v))) for v in (0.5, 3.0, 30.0)]
    assert slopes[0] < -0.3 and abs(slopes[1]) < 0.1 and abs(slopes[2]) < 1e-3


def test_theory_contrast_is_zero_at_the_variance_that_the_added_noise_implies():
    jacobian, added = np.array([[2.0, -1.0], [0.5, 3.0]]), np.array([0.1, 0.2])
    clean = estimate([1.0, 2.0], [0.3, 0.7], jacobian)
    implied = np.array([0.3, 0.7]) + jacobian**2 @ added
    assert loss(clean, estimate([1.0, 2.0], implied), "theory", added) == pytest.approx(0, abs=1e-10)
    for factor in (0.5, 0.9, 1.1, 10.0):
        value = loss(clean, estimate([1.0, 2.0], implied * factor), "theory", added)
        assert value == pytest.approx(2 * np.log(factor) ** 2, rel=1e-3)


def test_theory_contrast_teaches_the_noisy_view_only():
    """The clean row's variance is what the data say; the contrast must not move it."""

    def at(clean_variance, noisy_variance):
        return contrast_loss(
            TaylorEstimate(jnp.zeros(1), jnp.ones((1, 2)), jnp.zeros(2), clean_variance),
            TaylorEstimate(jnp.zeros(1), jnp.ones((1, 2)), jnp.zeros(2), noisy_variance),
            jnp.array([0.1, 0.1]), mode="theory", mean_weight=1.0, spread_weight=1.0,
        )  # fmt: skip

    to_clean, to_noisy = jax.grad(at, (0, 1))(jnp.array([0.5]), jnp.array([0.5]))
    assert to_clean == 0 and to_noisy < 0


def test_printed_and_bounded_do_not_look_at_the_added_noise():
    clean, noisy = estimate(0.0, 1.0, [[2.0, 1.0]]), estimate(0.1, 2.0)
    for mode in ("printed", "bounded"):
        assert loss(clean, noisy, mode, (0.0, 0.0)) == loss(clean, noisy, mode, (5.0, 1.0))
    assert loss(clean, noisy, "theory", (0.0, 0.0)) != loss(clean, noisy, "theory", (5.0, 1.0))
