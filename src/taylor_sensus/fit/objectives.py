"""What each stage of training minimises on a batch, and how the held-out rows score it.

A stage is a pair of pure functions of a network and rows: the loss is differentiated and compiled, the score is asked
with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from taylor_sensus.fit.padding import padded_columns
from taylor_sensus.model.density import density_divergence
from taylor_sensus.model.forward import mean_of, variances
from taylor_sensus.model.loss import heteroscedastic_mse
from taylor_sensus.model.module import Later
from taylor_sensus.model.network import Variant, Weights, algorithm_1
from taylor_sensus.model.networks import Perceptron, VarianceNetwork
from taylor_sensus.model.noise_contrast import draw_noise, second_view
from taylor_sensus.model.shapes import AnyArray, Float, Shaped

if TYPE_CHECKING:
    import jax
    import jax.numpy as jnp
else:
    jax, jnp = Later("jax"), Later("jax.numpy")


class RunOptions(NamedTuple):
    """Numbers that may change without a new compilation."""

    learning_rate: float
    weight_decay: float
    warmup: float
    dropout: float
    steps: int
    steps_per_check: int
    patience: int
    weights: Weights


class Stage(NamedTuple):
    """One kind of training run; hashable, so that a program is compiled once for each."""

    name: str
    loss: Callable
    score: Callable
    variant: Variant


PULLED = 4
"""Staged training: one row in so many of a batch is pulled to its noisy view. Measured as good as all, in half the
time."""


def mean_loss(
    network: Any,
    rows: Any,
    points: Any,
    key: Shaped[AnyArray, "*key"],
    options: RunOptions,
    fade: Float[AnyArray, ""],
    variant: Variant,
) -> Float[AnyArray, ""]:
    """Squared error of the mean network under fading dropout, plus the pull of eq. 10 on a noisy view of some rows."""
    mask_key, draw_key, view_key = jax.random.split(key, 3)
    masks = None
    if variant.dropout:
        masks = _dropout_masks(mask_key, network.perceptron, len(rows.x), options.dropout * fade)
    mean = jax.vmap(network)(rows.x, masks)
    loss = weighted_mean(rows.weight, jnp.sum((rows.y - mean) ** 2, axis=1))
    if variant.contrast == "off":
        return loss
    # DIFF(eq. 10): the pull alone, on some rows.
    some = slice(0, -(-len(rows.x) // PULLED))
    draw = draw_noise(draw_key, rows.x.shape[1], options.weights.contrast_noise)
    view, _ = second_view(view_key, draw, rows.x[some])
    view_mean = jax.vmap(network)(view, jax.tree.map(lambda mask: mask[some], masks))
    pull = weighted_mean(rows.weight[some], jnp.sum((mean[some] - view_mean) ** 2, axis=1))
    return loss + options.weights.contrast * options.weights.contrast_mean * pull


def mean_score(network: Any, rows: Any, weight: Float[np.ndarray, " rows"]) -> float:
    """Mean squared error."""
    return float(np.average(np.sum((rows.y - mean_of(network, rows.x)) ** 2, axis=1), weights=weight))


class NoiseRows(NamedTuple):
    """What the noise networks learn from once the mean is fixed: its Jacobian and held-out residuals are constants."""

    x: Float[AnyArray, "rows features"]
    residual: Float[AnyArray, "rows targets"]
    squared_jacobian: Float[AnyArray, "rows targets features"]
    known: Float[AnyArray, "rows targets"]
    """Variance that is no learned noise: declared, or what is not known of the mean."""
    weight: Float[AnyArray, " rows"]

    @property
    def features(self) -> int:
        """Columns of the table."""
        return self.x.shape[-1]

    def widened(self, columns: int) -> NoiseRows:
        """With columns of zeros up to so many."""
        return self._replace(
            x=padded_columns(self.x, columns), squared_jacobian=padded_columns(self.squared_jacobian, columns)
        )


def noise_loss(
    networks: Any,
    rows: NoiseRows,
    points: Any,
    key: Shaped[AnyArray, "*key"],
    options: RunOptions,
    fade: Float[AnyArray, ""],
    variant: Variant,
) -> Float[AnyArray, ""]:
    """Expected heteroscedastic MSE of held-out residuals."""

    def one_row(residual, variance):
        return heteroscedastic_mse(residual, jnp.zeros_like(residual), variance, options.weights.log)

    return weighted_mean(rows.weight, jax.vmap(one_row)(rows.residual, noise_variances(networks, rows)))


def noise_score(networks: Any, rows: NoiseRows, weight: Float[np.ndarray, " rows"]) -> float:
    """The same with lambda_H = 1: twice the negative log-likelihood."""
    return float(np.average(noise_cost(networks, rows), weights=weight))


def noise_cost(networks: Any, rows: NoiseRows) -> Float[np.ndarray, " rows"]:
    """Twice the negative log-likelihood of each row's residual, up to a constant."""
    feature_net, system_net = networks
    x = np.asarray(rows.x)
    variance = variances(system_net, x) + np.asarray(rows.known)
    if isinstance(feature_net, VarianceNetwork):
        variance = variance + np.einsum("rtf,rf->rt", np.asarray(rows.squared_jacobian), variances(feature_net, x))
    return np.sum(np.log(variance) + np.asarray(rows.residual) ** 2 / variance, axis=1)


def noise_variances(networks: Any, rows: NoiseRows) -> Float[AnyArray, "rows targets"]:
    """Variance of each target that the noise networks and what is known before give together."""
    feature_net, system_net = networks

    def one_row(x, squared_jacobian, known):
        return squared_jacobian @ feature_net(x) + system_net(x) + known

    return jax.vmap(one_row)(rows.x, rows.squared_jacobian, rows.known)


def density_loss(
    perception: Any,
    rows: Any,
    points: Any,
    key: Shaped[AnyArray, "*key"],
    options: RunOptions,
    fade: Float[AnyArray, ""],
    variant: Variant,
) -> Float[AnyArray, ""]:
    """Divergence of the attention from the neighbour densities."""
    return density_divergence(jax.vmap(perception)(rows.x), rows.log_density)


def density_score(perception: Any, rows: Any, weight: Float[np.ndarray, " rows"]) -> float:
    """Nothing is held out: a later state always counts as better."""
    return -np.inf


def joint_loss(
    network: Any,
    rows: Any,
    points: Any,
    key: Shaped[AnyArray, "*key"],
    options: RunOptions,
    fade: Float[AnyArray, ""],
    variant: Variant,
) -> Float[AnyArray, ""]:
    """Algorithm 1 as printed; points of X and X_aug are drawn for the divergence."""
    point_key, key = jax.random.split(key)
    drawn = points
    if variant.density:
        chosen = jax.random.randint(point_key, (len(rows.x),), 0, len(points.x))
        drawn = jax.tree.map(lambda a: a[chosen], points)
    return algorithm_1(network, rows, drawn, key, variant, options.weights)


def joint_score(network: Any, rows: Any, weight: Float[np.ndarray, " rows"]) -> float:
    """Mean squared error of the block's mean (held-out rows lie among the data)."""
    # DIFF(Algorithm 1): the best state on held-out rows is kept, by squared error; the paper does not say when to stop.
    # By likelihood the best state comes before the mean has learned much, because the variance overfits first.
    return mean_score(network.block.mean_net, rows, weight)


STAGES: dict[str, tuple[Callable, Callable]] = {
    "mean": (mean_loss, mean_score),
    "noise": (noise_loss, noise_score),
    "density": (density_loss, density_score),
    "joint": (joint_loss, joint_score),
}


def stage(name: str, variant: Variant) -> Stage:
    """The stage of that name with these variants of the variant."""
    return Stage(name, *STAGES[name], variant)


def _dropout_masks(
    key: Shaped[AnyArray, "*key"], perceptron: Perceptron, count: int, rate: Float[AnyArray, ""]
) -> tuple[Float[AnyArray, "_ _"], ...]:
    """Masks for all hidden layers from one byte a neuron: later layers use other rows' bytes, random bits are dear."""
    widths = [layer.weight.shape[1] for layer in perceptron.layers[:-1]]
    bits = jax.random.bits(key, (count, max(widths)), jnp.uint8)
    kept = jnp.where(bits < rate * 256, 0.0, 1 / (1 - rate))
    return tuple(jnp.roll(kept, 7 * depth, axis=0)[:, :width] for depth, width in enumerate(widths))


def weighted_mean(weight: Float[AnyArray, " rows"], values: Float[AnyArray, " rows"]) -> Float[AnyArray, ""]:
    """Average over rows."""
    return jnp.asarray(weight) @ values / weight.sum()
