"""Uncertainty combination: what the network learned and the prior, weighed by familiarity."""

from __future__ import annotations

from typing import NamedTuple

from taylor_sensus.model.shapes import AnyArray, Float


class Combined(NamedTuple):
    """Mean, and the variance in its two parts: `aleatoric_weight` times the network's noise, plus `epistemic`."""

    mean: Float[AnyArray, "*shape"]
    aleatoric_weight: float | Float[AnyArray, "*#shape"]
    epistemic_variance: float | Float[AnyArray, "*#shape"]


def combine(
    rule: str,
    k: float | Float[AnyArray, "*#shape"],
    mean_n: float | Float[AnyArray, "*#shape"],
    variance_n: float | Float[AnyArray, "*#shape"],
    mean_p: float | Float[AnyArray, "*#shape"],
    variance_p: float | Float[AnyArray, "*#shape"],
) -> Combined:
    """mu = k mu_n + (1-k) mu_p; Sigma = k^2 Sigma_n + (1-k)^2 Sigma_p (eq. 14). Works on NumPy and JAX arrays.

    `k` is the familiarity k_d, `mean_n` the network's mean, `variance_n` the variance of its members' means
    (0 for a single network), `mean_p` and `variance_p` the prior's.
    """
    mean = k * mean_n + (1 - k) * mean_p
    if rule == "printed":
        return Combined(mean, k**2, k**2 * variance_n + (1 - k) ** 2 * variance_p)
    # DIFF(eq. 14): "mixture" is the variance of "network with probability k, prior otherwise". The printed rule is
    # that of a sum of independent draws: with k = 1/2 and equal variances it is surer than either source.
    gap = k * (1 - k) * (mean_n - mean_p) ** 2
    return Combined(mean, k, k * variance_n + (1 - k) * variance_p + gap)
