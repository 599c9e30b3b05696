"""Simple methods on the same rows, each predicted without itself: is the model worth its trouble?"""

from __future__ import annotations

from typing import Any

import numpy as np

from taylor_sensus.report.contents import EvaluatedRows, ReferenceMethod, References

FOLDS = 5
MOST_ROWS = 20_000
"""Rows that the references are fitted and evaluated on; of more, so many are drawn at random."""
FEWEST_ROWS = 10
TREES = 100


def compare(
    x: np.ndarray, y: np.ndarray, rows: np.ndarray, evidence: EvaluatedRows, n_jobs: int | None
) -> References | None:
    """Cross-validate the references on the rows at the positions ``rows``, in the order of the evidence.

    Rows with equal inputs always lie in the same fold, as they do in the model's own folds. None if there are too
    few rows to hold any out.
    """
    from sklearn.model_selection import GroupKFold

    notes = [f"The references are cross-validated with {FOLDS} folds on the same rows."]
    chosen = np.arange(len(rows))
    if len(rows) > MOST_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(len(rows), MOST_ROWS, replace=False))
        notes.append(
            f"They, and this comparison, use {MOST_ROWS:,} of {len(y):,} rows, drawn at random with seed 0; "
            "the model itself was fitted on all rows, so references that had seen as many might do better."
        )
    features, targets = x[rows[chosen]], y[rows[chosen]]
    groups = np.unique(np.nan_to_num(features, nan=np.inf), axis=0, return_inverse=True)[1].ravel()
    if len(chosen) < FEWEST_ROWS or groups.max() + 1 < FOLDS:
        return None
    found = {name: np.empty_like(targets) for name in _methods(n_jobs)}
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(features, groups=groups):
        for name, method in _methods(n_jobs).items():
            known = targets[train]
            fitted = method.fit(features[train], known[:, 0] if known.shape[1] == 1 else known)
            found[name][test] = fitted.predict(features[test]).reshape(len(test), -1)
    methods = [_scored(name, targets, mean) for name, mean in found.items()]
    return References([*methods, _scored("Taylor-Sensus", targets, evidence.mean[chosen])], notes)


def mean_only(center: np.ndarray, evidence: EvaluatedRows) -> References:
    """With new rows only: the training mean, which the model knows, as the one reference."""
    constant = np.broadcast_to(center, evidence.y.shape)
    notes = ["Other references need the table that the model was fitted on; give that to compare with more."]
    methods = [_scored("mean of the training rows", evidence.y, constant)]
    return References([*methods, _scored("Taylor-Sensus", evidence.y, evidence.mean)], notes)


def _methods(n_jobs: int | None) -> dict[str, Any]:
    from sklearn.dummy import DummyRegressor
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    forest = RandomForestRegressor(TREES, max_features=0.5, random_state=0, n_jobs=n_jobs)
    filled = SimpleImputer(keep_empty_features=True)
    return {
        "mean of the other rows": DummyRegressor(),
        "straight line (ridge)": make_pipeline(filled, StandardScaler(), RidgeCV(np.logspace(-3, 4, 15))),
        "random forest": make_pipeline(SimpleImputer(keep_empty_features=True), forest),
    }


def _scored(name: str, y: np.ndarray, mean: np.ndarray) -> ReferenceMethod:
    error = y - mean
    return ReferenceMethod(name, np.sqrt(np.mean(error**2, axis=0)), np.mean(np.abs(error), axis=0))
