"""MCRF: a random forest whose trees are read as Monte-Carlo draws of the prediction."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestRegressor

from taylor_sensus.baselines.forest import ForestBaseline
from taylor_sensus.training.ensemble import cores


class MCRFBaseline(ForestBaseline):
    """Bootstrapped trees that look at half of the features for each split; std from their spread."""

    def new_forest(self, seed: int) -> Any:
        """An unfitted forest with this method's settings."""
        return RandomForestRegressor(
            n_estimators=self.trees,
            max_features=self.max_features,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=cores(self.n_jobs),
            random_state=seed,
        )
