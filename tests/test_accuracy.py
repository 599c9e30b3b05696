"""Guard against a real loss: defaults on two splits of two datasets.

Bounds lie about a tenth above what was measured when they were set (in brackets), which is far more than rounding on
another machine changes, and less than leaving out any ingredient that matters costs.
"""

import os

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.data.datasets import VARIABLE, load_dataset, split_dataset
from taylor_sensus.scores import evaluate


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("diabetes", {"mse": 3250, "mae": 46.5, "nll_paper": 4.56}),  # 3,058, 44.3, 4.50
        ("concrete", {"mse": 14.8, "mae": 2.80, "nll_paper": 1.78}),  # 13.3, 2.59, 1.69
    ],
)
def test_defaults_are_as_good_as_they_were(name, most):
    if name != "diabetes" and not os.environ.get(VARIABLE) and not os.environ.get("CI"):
        pytest.skip(f"{VARIABLE} does not name a folder with the published files")
    scores = []
    for seed in (0, 1):
        parts = split_dataset(load_dataset(name), seed)
        model = TSNetRegressor(random_state=seed)
        model.fit(parts.X_train, parts.y_train, X_val=parts.X_val, y_val=parts.y_val)
        scores.append(evaluate(parts.y_test, model.predict_distribution(parts.X_test)))
    means = {key: np.mean([s[key] for s in scores]) for key in scores[0]}
    assert {key: means[key] <= bound for key, bound in most.items()} == dict.fromkeys(most, True), means
    assert 0.85 < means["coverage_90"] < 0.97
