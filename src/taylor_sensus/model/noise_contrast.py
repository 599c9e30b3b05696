"""Noise-aware contrastive learning: a second, noisier view of each row, and what must and must not change.

The noise of the second view has a standard deviation that is itself a random function of the feature,
drawn anew each step from a small library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taylor_sensus.model.module import Later, Module
from taylor_sensus.model.shapes import AnyArray, Float, Int, Shaped
from taylor_sensus.model.taylor_block import TaylorEstimate, propagated_variance

if TYPE_CHECKING:
    import jax
    import jax.numpy as jnp
else:
    jax, jnp = Later("jax"), Later("jax.numpy")

LIBRARY = {
    "constant": lambda x, slope, shift: jnp.ones_like(x),
    "linear": lambda x, slope, shift: jnp.abs(slope * x + shift) / 2,
    "trigonometric": lambda x, slope, shift: jnp.abs(jnp.sin(slope * x + shift)),
    "exponential": lambda x, slope, shift: jnp.exp(jnp.tanh(slope * x)) / 2,
    "sigmoid": lambda x, slope, shift: jax.nn.sigmoid(2 * (slope * x + shift)),
    "radial": lambda x, slope, shift: jnp.exp(-0.5 * (slope * (x - shift)) ** 2),
}
"""Shapes of a noise std as a function of a scaled feature; all stay between 0 and about 2 near the data."""


class NoiseDraw(Module):
    """One draw from the library: for each feature a shape, a size, a slope and a shift."""

    shape: Int[AnyArray, " features"]
    size: Float[AnyArray, " features"]
    slope: Float[AnyArray, " features"]
    shift: Float[AnyArray, " features"]


def draw_noise(key: Shaped[AnyArray, "*key"], features: int, typical: float | Float[AnyArray, ""]) -> NoiseDraw:
    """Sigma_k: a random function a feature with random parameters, sizes spread around `typical`."""
    uniform = jax.random.uniform(key, (4, features))
    return NoiseDraw(
        shape=jnp.floor(uniform[0] * len(LIBRARY)).astype(jnp.int32),
        size=typical * jnp.exp2(4 * uniform[1] - 2),
        slope=jnp.exp2(3 * uniform[2] - 1.5),
        shift=4 * uniform[3] - 2,
    )


def noise_std(draw: NoiseDraw, x: Float[AnyArray, "*rows features"]) -> Float[AnyArray, "*rows features"]:
    """Square root of Sigma_k(x), one number a feature; `x` is a row or a batch of rows."""
    bounded = jnp.clip(x, -4, 4)
    std = jnp.zeros_like(x)
    for number, shape in enumerate(LIBRARY.values()):
        std = jnp.where(draw.shape == number, shape(bounded, draw.slope, draw.shift), std)
    return draw.size * std


def contrast_loss(
    clean: TaylorEstimate,
    noisy: TaylorEstimate,
    added_variance: Float[AnyArray, " features"],
    *,
    mode: str,
    mean_weight: float | Float[AnyArray, ""],
    spread_weight: float | Float[AnyArray, ""],
) -> Float[AnyArray, ""]:
    """Means pulled together, log-variances pushed apart (eq. 10), for one row and its noisy view."""
    pull = jnp.sum((clean.mean - noisy.mean) ** 2)
    gap = jnp.log(clean.variance) - jnp.log(noisy.variance)
    if mode == "printed":
        return mean_weight * pull - spread_weight * jnp.sum(gap**2)
    if mode == "bounded":
        # DIFF(eq. 10): the printed push has no lower bound, its optimum is an infinite variance; here it saturates.
        return mean_weight * pull - spread_weight * jnp.sum(gap**2 / (1 + gap**2))
    # DIFF(eq. 10): "theory" replaces "as far apart as possible" by the gap that eq. 6 implies for the added noise.
    implied = clean.variance + propagated_variance(clean.jacobian, added_variance)
    target = jax.lax.stop_gradient(jnp.log(implied))
    return mean_weight * pull + spread_weight * jnp.sum((jnp.log(noisy.variance) - target) ** 2)


def second_view(
    key: Shaped[AnyArray, "*key"], draw: NoiseDraw, x: Float[AnyArray, "*rows features"]
) -> tuple[Float[AnyArray, "*rows features"], Float[AnyArray, "*rows features"]]:
    """A noisy copy x + eps of a row or batch, eps ~ N(0, Sigma_k(x)), and the variance that was added."""
    # DIFF(eq. 10): draws of eps are cut at four standard deviations, so that no single row dominates a step.
    std = noise_std(draw, x)
    normal = jax.random.normal(key, x.shape)
    return x + std * jnp.clip(normal, -4, 4), std**2
