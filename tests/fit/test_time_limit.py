"""A fit within a time limit."""

import time

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor, load
from taylor_sensus.errors import SettingError
from taylor_sensus.fit.time_limit import settings_within
from taylor_sensus.settings import DEFAULTS

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (3000, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + RNG.normal(0, 0.1, 3000)


def test_a_limit_that_is_never_reached_changes_nothing():
    assert settings_within(1e6, 500, 4, 1, DEFAULTS, 1) == DEFAULTS


def test_less_time_never_gives_more():
    found = [settings_within(seconds, 20_000, 4, 1, DEFAULTS, 1) for seconds in (3.0, 3000.0)]
    assert found[0].members < DEFAULTS.members
    assert found[0].boosting == 0 and found[1].boosting == DEFAULTS.boosting
    assert found[0].members * found[0].most_steps < found[1].members * min(found[1].most_steps, DEFAULTS.most_steps)


@pytest.mark.slow
def test_a_short_limit_is_kept_and_told(tmp_path):
    started = time.perf_counter()
    cpu = time.process_time()
    model = TSNetRegressor(time_limit=4.0, random_state=0, n_jobs=1).fit(X, Y)
    waited = time.perf_counter() - started - (time.process_time() - cpu)  # for other programs
    assert time.perf_counter() - started - max(waited, 0.0) < 8.0
    assert "time limit" in model.summary()
    assert model.score(X, Y) > 0.9
    model.save(tmp_path / "m.tsnet")
    assert load(tmp_path / "m.tsnet").fitted_.fit_summary.time_limit == 4.0


@pytest.mark.parametrize("limit", [0, -1.0, "short", float("nan"), True])
def test_other_limits_are_refused(limit):
    with pytest.raises(SettingError, match="time_limit"):
        TSNetRegressor(time_limit=limit).fit(X[:50], Y[:50])
