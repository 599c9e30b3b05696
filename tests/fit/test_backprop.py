"""Steps written out with NumPy are those that JAX makes of the same loss, and need no JAX."""

import subprocess
import sys
from dataclasses import replace

import jax
import numpy as np
import pytest

from taylor_sensus.fit import members
from taylor_sensus.fit.backprop import PlainSteps, plain_steps
from taylor_sensus.fit.initial import Shape, new_mean, new_noise
from taylor_sensus.fit.loop import CompiledSteps
from taylor_sensus.fit.members import may_compile, train
from taylor_sensus.fit.objectives import NoiseRows, RunOptions, stage
from taylor_sensus.fit.padding import TrainingRows, split_rows
from taylor_sensus.model.network import Variant, Weights
from taylor_sensus.settings import Settings

PLAIN = Variant("off", "expected", "mixture", True)
WEIGHTS = Weights(0.1, 1.0, 0.1, 0.1, 1.0, 0.7, 0.0)


def options(**changed):
    made = RunOptions(0.02, 0.0, 0.1, 0.0, 64, 8, 10_000, WEIGHTS)
    return made._replace(**changed)


def mean_case(rng, *, features=3, targets=1, **settings):
    chosen = Settings(width=16, depth=2, **settings)
    network = new_mean(Shape(features, targets, np.zeros(features), np.ones(features)), chosen, rng, 0.3)
    x = 2 * rng.standard_normal((64, features)).astype(np.float32)
    y = rng.standard_normal((64, targets)).astype(np.float32)
    weight = rng.uniform(0.2, 3.0, 64).astype(np.float32)
    return network, TrainingRows(x, y, weight, 0 * y, np.ones_like(y)), stage("mean", PLAIN)


def noise_case(rng, *, features=3, targets=1, taylor=True):
    chosen = Settings(noise_width=8, taylor=taylor)
    shape = Shape(features, targets, np.zeros(features), np.ones(features))
    networks = new_noise(shape, chosen, rng, np.linspace(-3, -2, features), np.linspace(-1, 0, targets))
    x = 2 * rng.standard_normal((64, features)).astype(np.float32)
    residual, known = rng.standard_normal((64, targets)), rng.uniform(0, 0.1, (64, targets))
    squared, weight = rng.uniform(0, 2, (64, targets, features)), rng.uniform(0.2, 3.0, 64)
    rows = NoiseRows(*[a.astype(np.float32) for a in (x, residual, squared, known, weight)])
    return networks, rows, stage("noise", PLAIN)


CASES = {
    "mean": lambda rng: mean_case(rng, frequencies=4),
    "mean of two targets": lambda rng: mean_case(rng, targets=2, frequencies=2, activation="mish"),
    "mean of one feature": lambda rng: mean_case(rng, features=1, frequencies=3, activation="tanh"),
    "mean without waves": lambda rng: mean_case(rng, embedding="none", activation="sigmoid"),
    "noise": lambda rng: noise_case(rng),
    "noise of two targets": lambda rng: noise_case(rng, targets=2),
    "noise without the features'": lambda rng: noise_case(rng, taylor=False),
}


def as_vector(network):
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(network)])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_steps_are_those_of_jax(name, decay):
    rng = np.random.default_rng(0)
    network, rows, kind = CASES[name](rng)
    how = options(weight_decay=decay)
    picks = rng.integers(0, 64, (20, 24))
    plain, compiled = plain_steps(network, how, kind), CompiledSteps(network, None, rows.features, how, 0, kind)
    ends = []
    for steps in (plain, compiled):
        weights, moments = steps.start()
        weights, moments, loss = steps.run(weights, moments, steps.gathered(rows, picks[:5]), 5, 0)
        weights, moments, more = steps.run(weights, moments, steps.gathered(rows, picks[5:]), 15, 5)
        ends.append((as_vector(steps.network(weights)), loss, more))
    assert ends[0][1:] == pytest.approx(ends[1][1:], rel=1e-5)
    np.testing.assert_allclose(ends[0][0], ends[1][0], rtol=1e-4, atol=2e-5)
    moved = np.abs(ends[0][0] - as_vector(network)).max()
    assert moved > 0.01  # it did learn


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_is_the_slope_of_the_loss(name):
    rng = np.random.default_rng(1)
    network, rows, kind = CASES[name](rng)
    steps = plain_steps(network, options(), kind)
    weights = steps.start()[0] + 0.3 * rng.standard_normal(len(steps.start()[0])).astype(np.float32)
    batch = type(steps.gathered(rows, np.arange(64)[None]))(*[p[0] for p in steps.gathered(rows, np.arange(64)[None])])
    gradient = np.empty_like(weights)
    steps.pass_(steps.views(weights), steps.views(gradient), batch)
    wide = weights.astype(np.float64)
    inside = type(batch)(*[part.astype(np.float64) for part in batch])
    along = rng.standard_normal(len(weights))

    def loss(shift):
        moved = wide + shift * along
        return steps.pass_(steps.views(moved), steps.views(np.empty_like(moved)), inside)

    assert gradient @ along == pytest.approx((loss(1e-4) - loss(-1e-4)) / 2e-4, rel=1e-3)


def test_a_whole_run_is_that_of_jax(monkeypatch):
    network, rows, kind = CASES["mean"](np.random.default_rng(2))
    split = split_rows(np.arange(48), np.arange(48, 64), np.ones(64), 64, 16)
    ends = []
    for limit in (members.WORTH_COMPILING, 1):
        monkeypatch.setattr(members, "WORTH_COMPILING", limit)
        found = train(network, rows, None, split, options(), 3, stage=kind, batch_size=32, checks=8)
        ends.append((found.score, found.history["validation"].to_numpy()))
    assert ends[0][0] == pytest.approx(ends[1][0], rel=1e-3)
    np.testing.assert_allclose(ends[0][1], ends[1][1], rtol=1e-3)


def test_a_bad_batch_is_skipped():
    network, rows, kind = CASES["mean"](np.random.default_rng(0))
    steps = plain_steps(network, options(), kind)
    broken = rows._replace(y=np.full_like(rows.y, np.inf))
    weights, moments = steps.start()
    after, moments, _ = steps.run(weights, moments, steps.gathered(broken, np.arange(64)[None]), 1, 0)
    assert np.array_equal(after, weights)
    assert not moments.mean.any()


def test_weights_before_a_step_are_left_as_they_were():
    network, rows, kind = CASES["mean"](np.random.default_rng(0))
    steps = plain_steps(network, options(), kind)
    weights, moments = steps.start()
    before = weights.copy()
    steps.run(weights, moments, steps.gathered(rows, np.arange(64)[None]), 1, 0)
    assert np.array_equal(weights, before)
    assert not moments.square.any()


@pytest.mark.parametrize("variant", [PLAIN._replace(contrast="theory"), PLAIN._replace(dropout=True)])
def test_other_losses_are_left_to_jax(variant):
    network, _, _ = CASES["mean"](np.random.default_rng(0))
    assert plain_steps(network, options(), stage("mean", variant)) is None
    assert isinstance(plain_steps(network, options(), stage("mean", PLAIN)), PlainSteps)


DEFAULT = Settings()


@pytest.mark.parametrize(
    ("settings", "rows", "streamed", "wanted"),
    [
        (DEFAULT, 442, False, False),
        (DEFAULT, 1_100, False, False),
        (DEFAULT, 1_300, False, True),
        (DEFAULT, 442, True, True),
        (replace(DEFAULT, kernel=False), 442, False, True),
        (replace(DEFAULT, contrast="theory"), 442, False, True),
        (replace(DEFAULT, dropout=0.1), 442, False, True),
        (replace(DEFAULT, embedding="positional"), 442, False, True),
        (replace(DEFAULT, training="joint"), 442, False, True),
        (replace(DEFAULT, epochs=4_000), 100, False, True),
    ],
)
def test_jax_is_made_ready_where_it_may_be_needed(settings, rows, streamed, wanted):
    assert may_compile(settings, rows, streamed=streamed) is wanted


FIT = """
import numpy as np, sys
from taylor_sensus import TSNetRegressor
rng = np.random.default_rng(0)
x = rng.standard_normal((60, 3))
model = TSNetRegressor(members=2, epochs=4, width=8, random_state=0).fit(x, x[:, 0])
model.predict_distribution(x).interval(0.9)
model.suggest(x, n=2)
"""


def test_a_default_fit_never_loads_jax():
    code = f"{FIT}assert 'jax' not in sys.modules, 'jax was loaded'"
    subprocess.run([sys.executable, "-c", code], check=True)


FORK = """
import os
pid = os.fork()
if pid == 0:
    again = TSNetRegressor(members=2, epochs=4, width=8, random_state=0).fit(x, x[:, 0])
    same = np.array_equal(again.predict(x), model.predict(x))
    os._exit(0 if same else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
def test_a_forked_child_of_a_process_that_has_fitted_fits_the_same():
    subprocess.run([sys.executable, "-c", FIT + FORK], check=True, timeout=120)
