"""ExtraTrees: trees with random cuts, all grown on all rows."""

from __future__ import annotations

from sklearn.ensemble import ExtraTreesRegressor

from taylor_sensus.baselines.forest import ForestBaseline


class ExtraTreesBaseline(ForestBaseline):
    """Extremely randomised trees; std from their spread.

    Without a bootstrap all trees give a training row its own target, so the spread is 0 there and at duplicates of
    training rows. That makes the smallest spread, see forest.py, matter more here than for a random forest.
    """

    kind = ExtraTreesRegressor
    max_features: float = 1.0
