"""MCRF: a random forest whose trees are read as Monte-Carlo draws of the prediction."""

from __future__ import annotations

from sklearn.ensemble import RandomForestRegressor

from taylor_sensus.baselines.forest import ForestBaseline


class MCRFBaseline(ForestBaseline):
    """Bootstrapped trees that look at half of the features for each split; std from their spread."""

    kind = RandomForestRegressor
