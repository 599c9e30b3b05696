"""The 1-D toy of the paper, whose truth is known, with bounds that catch a real loss."""

import numpy as np
import pytest

from bench.toy import default, printed, toy_figures
from taylor_sensus import TSNetRegressor
from taylor_sensus.datasets.synthetic import toy_1d
from taylor_sensus.settings import DEFAULTS, paper

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("optimised")]
SEEDS = range(2)  # `make bench` takes fifteen


def test_default_estimator_on_the_toy():
    inside, overall, noise = toy_figures(default, SEEDS)
    assert inside <= 0.12
    assert overall <= 1.1
    assert noise >= 0.8


def test_printed_method_on_the_toy():
    inside, overall, _ = toy_figures(printed, SEEDS)
    assert inside <= 0.25
    assert overall <= 1.6


TEN_TIMES = {
    "members": 2,
    "epochs": 10 * DEFAULTS.epochs,
    "details": {"noise_epochs": 10 * DEFAULTS.noise_epochs, "patience": 1.0},
}


PRINTED_FIVE_TIMES = paper(embedding="positional", width=32, epochs=5_000, patience=1.0, noise_width=16, landmarks=64)


@pytest.mark.parametrize("arguments", [TEN_TIMES, PRINTED_FIVE_TIMES], ids=["default", "paper"])
def test_training_five_or_ten_times_longer_never_blows_up(arguments):
    toy = toy_1d(0)
    prediction = TSNetRegressor(**arguments, random_state=0).fit(toy.X, toy.y).predict_distribution(toy.X_eval)
    assert np.isfinite(prediction.mean).all()
    assert prediction.std.max() < 10 * toy.y.std()
