"""A training run: windows do not matter, the best weights are kept, shapes compile once."""

import jax
import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.fit import members
from taylor_sensus.fit.initial import Shape, new_mean
from taylor_sensus.fit.members import train
from taylor_sensus.fit.objectives import RunOptions, stage
from taylor_sensus.fit.padding import TrainingRows, split_rows
from taylor_sensus.fit.steps import batches
from taylor_sensus.model.network import Variant, Weights
from taylor_sensus.settings import Settings

pytestmark = pytest.mark.slow

PARTS = Variant("off", "expected", "mixture", True)
WEIGHTS = Weights(0.1, 1.0, 0.1, 0.1, 1.0, 1.0, 0.0)
SMALL = Settings(width=16, depth=2, frequencies=2)
STAGE = stage("mean", PARTS)


def make_rows(seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((64, 3)).astype(np.float32)
    y = (scale * np.sin(2 * x[:, :1])).astype(np.float32)
    ones = np.ones((64, 1), np.float32)
    return TrainingRows(x, y, ones[:, 0], 0 * ones, ones)


def make_network():
    return new_mean(Shape(3, 1, np.zeros(3), np.ones(3)), SMALL, np.random.default_rng(0), 0.3)


SPLIT = split_rows(np.arange(48), np.arange(48, 64), np.ones(64), 64, 16)


def options(steps=64, rate=0.02, patience=10_000):
    return RunOptions(rate, 0.0, 0.1, 0.0, steps, 8, patience, WEIGHTS)


def run(knob, rows=None, **others):
    rows = make_rows() if rows is None else rows
    return train(make_network(), rows, None, SPLIT, knob, 3, stage=STAGE, batch_size=32, checks=8, **others)


def leaves(trained):
    return jax.tree.leaves(trained.network)


def test_windows_do_not_change_the_result(monkeypatch):
    whole = run(options())
    monkeypatch.setattr(members, "WINDOW", 3)
    for a, b in zip(leaves(whole), leaves(run(options())), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_every_fit_row_is_seen_before_one_comes_again():
    drawn = batches(SPLIT, 16, np.random.default_rng(0))
    for _ in range(3):
        epoch = np.concatenate([next(drawn) for _ in range(3)])
        assert np.array_equal(np.sort(epoch), np.arange(48))


def test_training_improves_the_held_out_score():
    scores = run(options()).history["validation"].to_numpy()
    assert scores[-1] < 0.5 * scores[0]


def test_best_weights_are_those_of_the_best_check():
    found = run(options(rate=0.5))  # far too fast: later checks are worse
    rows = make_rows()
    held = SPLIT.held
    again = np.mean((rows.y[held] - np.asarray(jax.vmap(found.network)(rows.x[held]))) ** 2)
    assert found.score == pytest.approx(again, rel=1e-4)
    assert found.score <= found.history["validation"].min()


def test_initial_weights_win_when_training_only_hurts():
    network, rows = make_network(), make_rows(scale=0.0)  # zero is exactly right from the start
    result = train(
        network, rows, None, SPLIT, options(rate=0.5), 0, stage=STAGE, batch_size=32, checks=8
    )  # fmt: skip
    assert result.score == 0
    assert np.all(result.network.perceptron.layers[-1].weight == 0)


def test_patience_ends_a_run_early_and_all_of_it_is_reported():
    told = []
    found = run(options(rate=2.0, patience=16), progress=lambda **news: told.append(news["share"]))
    assert found.history["step"].max() < 64
    assert sum(told) == pytest.approx(1.0)


def test_a_batch_with_infinite_gradient_is_skipped():
    rows = make_rows()
    rows = rows._replace(y=rows.y.copy())
    rows.y[:48] = np.inf
    result = train(make_network(), rows, None, SPLIT, options(), 0, stage=STAGE, batch_size=32, checks=8)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(result.network))


def count_compilations(action):
    seen = []

    def listen(name, _seconds, **_details):
        if name.endswith("backend_compile_duration"):
            seen.append(name)

    from jax._src import monitoring

    monitoring.register_event_duration_secs_listener(listen)
    try:
        action()
    finally:
        monitoring.unregister_event_duration_listener(listen)
    return len(seen)


COMPILED = {"members": 2, "epochs": 4, "random_state": 0, "contrast": "theory"}  # only JAX can train it
DETAILS = {
    "noise_epochs": 2,
    "density_steps": 8,
    "pilots": 1,
    "kernel_rows": 50,
    "kernel_search_rows": 50,
    "boosting": 0,
}


def test_tables_of_180_187_and_200_rows_compile_once():
    rng = np.random.default_rng(0)
    model = TSNetRegressor(**COMPILED, width=17, details=DETAILS)

    def fit(rows):
        x = rng.standard_normal((rows, 4))
        model.fit(x, x[:, 0]).predict(x)

    assert count_compilations(lambda: fit(180)) == 1  # the means'; noise networks need no program
    assert count_compilations(lambda: (fit(187), fit(200))) == 0


def test_other_numbers_do_not_compile_anew():
    x = np.random.default_rng(0).standard_normal((180, 4))

    def fit(**changed):
        TSNetRegressor(**{**COMPILED, "width": 16, **changed}, details=DETAILS).fit(x, x[:, 0])

    fit()
    for changed in ({"learning_rate": 0.005}, {"epochs": 7}, {"random_state": 5}):
        assert count_compilations(lambda changed=changed: fit(**changed)) == 0, changed


def test_a_default_fit_compiles_nothing():
    x = np.random.default_rng(0).standard_normal((70, 5))
    assert count_compilations(lambda: TSNetRegressor(members=2, epochs=4, random_state=0).fit(x, x[:, 0])) == 0
