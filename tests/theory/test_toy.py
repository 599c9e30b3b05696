"""The 1-D toy of the paper, whose truth is known, with bounds that catch a real loss."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from taylor_sensus import TSNetRegressor
from taylor_sensus.data.synthetic import toy_1d
from taylor_sensus.settings import paper


def errors(make, seeds):
    """Mean over seeds of MSE inside the training range, MSE overall, and rank correlation with the true noise."""
    rows = []
    for seed in seeds:
        toy = toy_1d(seed)
        prediction = make(seed).fit(toy.X, toy.y).predict_distribution(toy.X_eval)
        squared = (prediction.mean - toy.y_eval) ** 2
        dense = (toy.X_eval[:, 0] >= -2) & (toy.X_eval[:, 0] <= 3)
        noise = spearmanr(prediction.aleatoric[dense], toy.noise_std(toy.X_eval)[dense])[0]
        rows.append([squared[toy.inside].mean(), squared.mean(), noise])
    return np.mean(rows, axis=0)


def test_default_estimator_on_the_toy():
    inside, overall, noise = errors(lambda seed: TSNetRegressor(random_state=seed), range(5))
    assert inside <= 0.12
    assert overall <= 1.1
    assert noise >= 0.8


def test_printed_method_on_the_toy():
    inside, overall, _ = errors(
        lambda seed: TSNetRegressor(**paper(embedding="positional"), random_state=seed), range(5)
    )
    assert inside <= 0.25
    assert overall <= 1.6


@pytest.mark.parametrize(
    "arguments",
    [
        {"epochs": 2560, "details": {"noise_epochs": 1280, "patience": 1.0}},
        paper(embedding="positional", epochs=10_000, patience=1.0),
    ],
    ids=["default", "paper"],
)
def test_training_ten_times_longer_never_blows_up(arguments):
    toy = toy_1d(0)
    prediction = TSNetRegressor(**arguments, random_state=0).fit(toy.X, toy.y).predict_distribution(toy.X_eval)
    assert np.isfinite(prediction.mean).all()
    assert prediction.std.max() < 10 * toy.y.std()
