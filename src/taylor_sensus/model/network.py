"""The framework figure, left to right: block and contrast, density, combination, loss. No arithmetic here.

A row goes through `TaylorSensusNetwork`; a batch in training goes through `algorithm_1`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from taylor_sensus.model.combine import combine
from taylor_sensus.model.density import (
    DensityPerception,
    density_divergence,
    familiarity,
    reference_of,
)
from taylor_sensus.model.loss import heteroscedastic_mse, reparameterise, total_loss
from taylor_sensus.model.module import Later, Module
from taylor_sensus.model.noise_contrast import contrast_loss, draw_noise, second_view
from taylor_sensus.model.shapes import AnyArray, Float, Shaped
from taylor_sensus.model.squash import squash
from taylor_sensus.model.taylor_block import DeepTaylorBlock, TaylorEstimate

if TYPE_CHECKING:
    import jax
else:
    jax = Later("jax")


class TaylorSensusNetwork(Module):
    """One member: a Deep Taylor Block and, beside it, the perception of density."""

    block: DeepTaylorBlock
    density: DensityPerception

    def __call__(self, x: Float[AnyArray, " features"]) -> tuple[TaylorEstimate, Float[AnyArray, ""]]:
        """What the block says of a row, and the log-density that its familiarity comes from."""
        return self.block(x), self.density(squash(x, tail="root"))


class Variant(NamedTuple):
    """Which variants of the parts are used; fixed while a program is compiled."""

    contrast: str
    loss: str
    combination: str
    density: bool
    dropout: bool = False


class Weights(NamedTuple):
    """The lambdas of the losses, and the typical size of the added noise."""

    contrast: float | Float[AnyArray, ""]
    contrast_mean: float | Float[AnyArray, ""]
    contrast_spread: float | Float[AnyArray, ""]
    contrast_noise: float | Float[AnyArray, ""]
    density: float | Float[AnyArray, ""]
    log: float | Float[AnyArray, ""]
    beta: float | Float[AnyArray, ""]


def algorithm_1(
    network: TaylorSensusNetwork,
    rows: Any,
    points: Any,
    key: Shaped[AnyArray, "*key"],
    variant: Variant,
    weights: Weights,
) -> Float[AnyArray, ""]:
    """Lines 2 to 11 of Algorithm 1 for one batch: the total loss whose gradient updates all networks.

    `rows` has x, y, weight, prior_mean and prior_variance, and errors and target_error where any are known; `points`
    has x and log_density of X and X_aug.
    """
    draw_key, view_key, sample_key = jax.random.split(key, 3)

    clean, attention = jax.vmap(network)(rows.x)  # line 2, and F_Attention of line 5
    if rows.errors is not None:
        clean = jax.vmap(TaylorEstimate.with_declared)(clean, *rows.errors)
    contrast = 0.0
    if variant.contrast != "off":
        draw = draw_noise(draw_key, rows.x.shape[1], weights.contrast_noise)
        view, added = second_view(view_key, draw, rows.x)
        noisy = jax.vmap(network.block)(view)  # line 3
        contrast = _mean(rows.weight, _contrast_rows(clean, noisy, added, variant, weights))  # line 4

    divergence, k = 0.0, 1.0
    if variant.density:
        divergence = density_divergence(jax.vmap(network.density)(points.x), points.log_density)  # lines 5, 6
        k = familiarity(attention, jax.lax.stop_gradient(reference_of(attention)))[:, None]  # line 7

    mean, noise_share, mean_variance = combine(  # line 8
        variant.combination, k, clean.mean, 0.0, rows.prior_mean, rows.prior_variance
    )
    variance = noise_share * jax.vmap(lambda e: e.variance)(clean) + mean_variance
    if rows.target_error is not None:
        variance = variance + rows.target_error
    # DIFF(eq. 16): "expected" puts the mean where a draw is printed: the same loss on average up to a constant, without
    # the draw's own noise in the gradient.
    prediction = reparameterise(sample_key, mean, variance) if variant.loss == "sampled" else mean  # line 9
    accuracy = jax.vmap(heteroscedastic_mse, (0, 0, 0, None, None))(
        rows.y, prediction, variance, weights.log, weights.beta
    )  # line 10
    return total_loss(_mean(rows.weight, accuracy), contrast, divergence, weights.contrast, weights.density)


def _contrast_rows(
    clean, noisy, added: Float[AnyArray, "rows features"], variant: Variant, weights: Weights
) -> Float[AnyArray, " rows"]:
    def one_row(first, second, variance):
        return contrast_loss(
            first, second, variance, mode=variant.contrast,
            mean_weight=weights.contrast_mean, spread_weight=weights.contrast_spread,
        )  # fmt: skip

    return jax.vmap(one_row)(clean, noisy, added)


def _mean(weight: Float[AnyArray, " rows"], values: Float[AnyArray, " rows"]) -> Float[AnyArray, ""]:
    # DIFF(eq. 16): rows are averaged with their weights, not summed, so that the lambdas do not depend on batch sizes.
    return weight @ values / weight.sum()
