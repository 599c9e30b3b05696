"""ExtraTrees: trees with random cuts, all grown on all rows."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import ExtraTreesRegressor

from taylor_sensus.baselines.forest import ForestBaseline
from taylor_sensus.training.ensemble import cores


class ExtraTreesBaseline(ForestBaseline):
    """Extremely randomised trees; std from their spread.

    Without a bootstrap all trees give a training row its own target, so the spread is 0 there and at twins of training
    rows. That makes the smallest spread, see forest.py, matter more here than for a random forest.
    """

    max_features: float = 1.0

    def new_forest(self, seed: int) -> Any:
        """An unfitted forest with this method's settings."""
        return ExtraTreesRegressor(
            n_estimators=self.trees,
            max_features=self.max_features,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=cores(self.n_jobs),
            random_state=seed,
        )
