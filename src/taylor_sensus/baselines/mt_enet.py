"""MT-ENet (Oh and Shin 2022): evidential regression with a squared error added to its likelihood.

The likelihood alone can explain errors by little evidence and then hardly trains the mean. A plain squared error
would work against the likelihood at large errors; so it becomes linear where the two would conflict.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from taylor_sensus.baselines.evidential import EvidentialBaseline, evidential_score, evidential_terms, warm_terms
from taylor_sensus.baselines.networks import PARTS
from taylor_sensus.baselines.normal_inverse_gamma import evidence, lipschitz_squared_error
from taylor_sensus.baselines.warm_up import WARM_FADE
from taylor_sensus.fit.objectives import Stage, weighted_mean


def multi_task_loss(network, rows, points, key, options, fade, parts):
    """The evidential loss plus the bounded squared error, equally weighted as in the paper; the same warm-up."""
    nig, y = evidence(jax.vmap(network)(rows.x)), rows.y[:, 0]
    loss = evidential_terms(nig, y, points) + lipschitz_squared_error(nig, y)
    return weighted_mean(rows.weight, jnp.where(fade > WARM_FADE, warm_terms(nig, y, points), loss))


class MTENetBaseline(EvidentialBaseline):
    """The evidential head and moments; only the loss differs. One factor on its std from validation rows."""

    stage: ClassVar[Stage] = Stage("mt_enet", multi_task_loss, jax.jit(evidential_score), PARTS)
