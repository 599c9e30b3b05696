"""Stage noise: networks for the noise that the means leave in rows that they have not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from taylor_sensus.fit.context import FitContext, NoiseTable
from taylor_sensus.fit.initial import new_noise
from taylor_sensus.fit.members import Trained, train_member
from taylor_sensus.fit.objectives import NoiseRows, noise_cost
from taylor_sensus.fit.padding import MemberSplits
from taylor_sensus.fit.tasks import run_tasks
from taylor_sensus.model.chunks import in_chunks
from taylor_sensus.model.ensemble import blended
from taylor_sensus.model.forward import ReadyMean, raw_log_variances
from taylor_sensus.model.networks import MeanNetwork, VarianceNetwork
from taylor_sensus.model.shapes import Bool, Float

if TYPE_CHECKING:
    from taylor_sensus.fit.share import Weighed

FLATNESS = (0.0, 0.5, 1.0)
"""Candidates for the share of the learned differences between rows that is kept."""


MOST = 1e18
"""Larger numbers, which only a table with absurd outliers has, would overflow when squared."""


class NoiseRun(NamedTuple):
    """A member's trained noise networks, made flatter by each share of `FLATNESS`, and what unseen rows say of each."""

    trained: Trained
    pairs: list[tuple[Any, ...]]
    costs: Float[np.ndarray, "flatness rows"]
    """Twice the negative log-likelihood of each row"""


def train_noise(
    context: FitContext, nets: list[MeanNetwork], noise_table: NoiseTable, weighed: Weighed
) -> tuple[list[Trained], list[tuple[Any, ...]]]:
    """The runs, and every member's noise networks."""
    runs = run_tasks(context, train_member_noise, list(enumerate(nets)), (noise_table, weighed))
    chosen = simplest_noise(np.stack([run.costs for run in runs]), noise_table.unseen, noise_table.table.weight)
    return [run.trained for run in runs], [run.pairs[chosen] for run in runs]


def train_member_noise(
    context: FitContext, noise_table: NoiseTable, weighed: Weighed, member: int, net: MeanNetwork
) -> NoiseRun:
    """One member's noise networks, beside its mean."""
    rows = _noise_rows(context, net, noise_table, weighed)
    start = _start(context, rows, noise_table, context.generators(1)[member])
    splits = MemberSplits(noise_table.unseen, noise_table.table.train, noise_table.table.weight)
    epochs, variant = context.settings.noise_epochs, context.variant()
    trained = train_member(context, "noise", member, start, rows, splits, epochs, variant=variant)
    pairs = [flattened(trained.network, rows, share) for share in FLATNESS]
    return NoiseRun(trained, pairs, np.stack([noise_cost(pair, rows) for pair in pairs]))


def squared_slopes(
    net: MeanNetwork,
    share: Float[np.ndarray, " targets"],
    process_slopes: Float[np.ndarray, "rows targets features"],
    x: Float[np.ndarray, "rows features"],
    n_jobs: int | None,
) -> Float[np.ndarray, "rows targets features"]:
    """Squared sensitivities of the blended mean at rows."""
    share, ready = np.asarray(share, np.float32)[:, None], ReadyMean(net)

    def chunk(
        x: Float[np.ndarray, "rows features"], beside: Float[np.ndarray, "rows targets features"]
    ) -> Float[np.ndarray, "rows targets features"]:
        return blended(share, ready.value_and_jacobian(x)[1], beside) ** 2

    return in_chunks(chunk, (x, process_slopes), n_jobs)


def _noise_rows(context: FitContext, net: MeanNetwork, noise_table: NoiseTable, weighed: Weighed) -> NoiseRows:
    """Rows as one member's noise networks see them, padded; what is declared counts like what is not known."""
    table = noise_table.table
    squared = squared_slopes(net, weighed.share, weighed.slopes, table.x, context.n_jobs)
    known = weighed.mean_variance
    if table.errors is not None:
        known = known + table.errors.at_targets(squared, weighed.imputed_scale)
        squared = squared * (1 - table.errors.is_declared)[:, None, :]
    arrays = (table.x, weighed.residual, squared, known, table.weight)
    return NoiseRows(*[np.clip(array, -MOST, MOST).astype(np.float32) for array in arrays])


def _start(context: FitContext, rows: NoiseRows, noise_table: NoiseTable, rng: np.random.Generator) -> Any:
    """Noise networks start at the overall residual variance beyond what is known, half of it through the features.

    Repeated inputs do not tell the halves apart: where inputs are set points, their noise acts anew in each repeat.
    """
    weight = noise_table.table.weight
    overall = np.average(np.asarray(rows.residual).astype(np.float64) ** 2, axis=0, weights=weight)
    beyond = overall - np.average(np.asarray(rows.known), axis=0, weights=weight)
    left = np.maximum(np.maximum(beyond, 0.1 * overall), 1e-8)
    system = 0.5 * left
    sensitivity = max(float(np.asarray(rows.squared_jacobian).sum(axis=2).mean()), 1e-6)
    level = np.full(context.shape.features, np.clip(np.log((left - system).mean() / sensitivity), -12, 0))
    return new_noise(context.shape, context.settings, rng, level, np.log(system))


# DIFF(eq. 9): noise that differs between rows must show: with few rows, one size for all is the better estimate.
def simplest_noise(
    costs: Float[np.ndarray, "members flatness rows"],
    unseen: Bool[np.ndarray, "members rows"],
    weight: Float[np.ndarray, " rows"],
) -> int:
    """Which of `FLATNESS` leaves no more differences between rows than unseen rows bear out.

    The one-standard-error rule: the flattest that is not worse than the best by more than chance. `unseen`
    says which rows a member has not seen.
    """
    held_out_weight = unseen * weight
    total = held_out_weight.sum(axis=0)
    held = total > 0
    mean_costs = np.einsum("mr,mfr->fr", held_out_weight, costs)[:, held] / total[held]
    weight = weight[held]
    best = mean_costs[np.average(mean_costs, axis=1, weights=weight).argmin()]

    def as_good(cost: Float[np.ndarray, " rows"]) -> bool:
        worse = cost - best
        mean = np.average(worse, weights=weight)
        count = weight.sum() ** 2 / (weight**2).sum()
        return bool(mean <= np.sqrt(np.average((worse - mean) ** 2, weights=weight) / count))

    return next(number for number, cost in enumerate(mean_costs) if as_good(cost))


def flattened(networks: Any, rows: NoiseRows, share: float) -> tuple[Any, ...]:
    """Both networks with a `share` of their differences around the mean over the rows."""
    if share == 1:
        return tuple(networks)
    weight = (np.asarray(rows.weight) / np.sum(rows.weight)).astype(np.float32)
    x = np.asarray(rows.x)
    return tuple(
        net.flattened(weight @ raw_log_variances(net, x), share) if isinstance(net, VarianceNetwork) else net
        for net in networks
    )
