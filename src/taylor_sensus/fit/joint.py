"""Joint training: Algorithm 1 as printed, all networks of a member at once."""

from __future__ import annotations

import numpy as np

from taylor_sensus.fit.context import FitContext
from taylor_sensus.fit.initial import new_block
from taylor_sensus.fit.members import Trained, histories, train_member
from taylor_sensus.fit.padding import MemberSplits
from taylor_sensus.fit.records import Chosen, TrainedEnsemble
from taylor_sensus.fit.tasks import run_tasks
from taylor_sensus.model.density import DensityPerception, DensityPoints
from taylor_sensus.model.ensemble import Ensemble, stacked
from taylor_sensus.model.network import TaylorSensusNetwork


def train_jointly(context: FitContext, perception: DensityPerception, points: DensityPoints) -> TrainedEnsemble:
    """Every member by the paper's own loss."""
    table, settings = context.table, context.settings
    networks = [
        TaylorSensusNetwork(new_block(context.shape, settings, rng, np.log(0.05), np.log(0.5)), perception)
        for rng in context.generators()
    ]
    trained = run_tasks(context, train_joint_member, list(enumerate(networks)), (points,))
    ensemble = Ensemble(
        blocks=stacked([t.network.block for t in trained]),
        densities=stacked([t.network.density for t in trained]),
        process_share=None,
        prior_variance=table.prior_variance.astype(np.float64),
        combination=settings.combination,
        noise_scale=np.ones(context.shape.targets),
    )
    chosen = Chosen(0.0, None)
    return TrainedEnsemble(ensemble, None, context.unseen, histories(trained), chosen, context.table.errors)


def train_joint_member(
    context: FitContext, points: DensityPoints, member: int, network: TaylorSensusNetwork
) -> Trained:
    """All networks of one member."""
    table, settings = context.table, context.settings
    rows, variant = context.rows(table.weight), context.variant()
    splits = MemberSplits(context.unseen, table.train, table.weight)
    return train_member(
        context, "joint", member, network, rows, splits, settings.epochs, variant=variant, points=points
    )
