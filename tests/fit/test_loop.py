"""The compiled training run: slices do not matter, the best weights are kept, shapes compile once."""

import jax
import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.fit import loop as step
from taylor_sensus.fit.initial import Shape, new_mean
from taylor_sensus.fit.members import train
from taylor_sensus.fit.objectives import RunOptions, stage
from taylor_sensus.fit.padding import TrainingRows, split_rows
from taylor_sensus.model.network import Variant, Weights
from taylor_sensus.settings import Settings

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


def run_in(slices, knob):
    network, rows = make_network(), make_rows()
    run = step.start(network, SPLIT, np.uint32(3), checks=8)
    for stop in slices:
        run = step.advance(run, network, rows, None, SPLIT, knob, np.int32(stop), stage=STAGE, batch_size=32)
    return jax.device_get(run)


def test_slices_do_not_change_the_result():
    whole, sliced = run_in([64], options()), run_in([5, 17, 40, 64], options())
    for a, b in zip(jax.tree.leaves(whole.best), jax.tree.leaves(sliced.best), strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(whole.log, sliced.log)


def test_training_improves_the_held_out_score():
    log = run_in([64], options()).log
    assert log[-1, 1] < 0.5 * log[0, 1]


def test_best_weights_are_those_of_the_best_check():
    run = run_in([64], options(rate=0.5))  # far too fast: later checks are worse
    best = np.nanmin(run.log[:, 1])
    assert run.best_score == best or run.best_step == 0


def test_initial_weights_win_when_training_only_hurts():
    network, rows = make_network(), make_rows(scale=0.0)  # zero is exactly right from the start
    result = train(
        network, rows, None, SPLIT, options(rate=0.5), 0, stage=STAGE, batch_size=32, checks=8
    )  # fmt: skip
    assert result.score == 0
    assert np.all(result.network.perceptron.layers[-1].weight == 0)


def test_patience_ends_a_run_early():
    run = run_in([64], options(rate=2.0, patience=16))
    assert run.step < 64
    assert np.isnan(run.log[-1]).all()


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


def test_tables_of_180_187_and_200_rows_compile_once(monkeypatch):
    rng = np.random.default_rng(0)
    model = TSNetRegressor(
        members=2, epochs=4, width=17, random_state=0, details={"noise_epochs": 2, "density_steps": 8, "pilots": 1}
    )

    def fit(rows):
        x = rng.standard_normal((rows, 4))
        model.fit(x, x[:, 0]).predict(x)

    assert count_compilations(lambda: fit(180)) > 0
    assert count_compilations(lambda: (fit(187), fit(200))) == 0


@pytest.mark.parametrize("changed", [{"learning_rate": 0.005}, {"epochs": 7}, {"random_state": 5}])
def test_other_numbers_do_not_compile_anew(changed):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((180, 4))
    base = {"members": 2, "epochs": 4, "width": 16, "random_state": 0}
    details = {"noise_epochs": 2, "density_steps": 8, "pilots": 1}
    TSNetRegressor(**base, details=details).fit(x, x[:, 0])
    assert count_compilations(lambda: TSNetRegressor(**{**base, **changed}, details=details).fit(x, x[:, 0])) == 0
