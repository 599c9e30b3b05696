"""The stages of a fit, seen from outside."""

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.fit.initial import frequency_scales
from taylor_sensus.fit.means import stage_runs
from taylor_sensus.settings import Settings, paper

pytestmark = pytest.mark.slow

QUICK = {"noise_epochs": 2, "density_steps": 8, "pilots": 1, "noise_depth": 1, "frequencies": 2}
QUICK |= {"kernel_rows": 50, "kernel_search_rows": 50, "boosting": 0}
TINY = {"members": 2, "epochs": 4, "width": 8, "depth": 1, "random_state": 0, "details": QUICK}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 4))
    return x, x[:, 0] + 0.1 * rng.standard_normal(60)


def test_staged_history_names_stages_and_members(table):
    history = TSNetRegressor(**TINY).fit(*table).history_
    assert list(history.columns) == ["stage", "member", "step", "loss", "validation"]
    assert history.groupby("stage")["member"].nunique().to_dict() == {"mean": 2, "noise": 2}
    assert (history.groupby(["stage", "member"])["step"].diff().dropna() > 0).all()


def test_joint_history_has_one_stage(table):
    history = TSNetRegressor(**paper(epochs=4, width=8, depth=1, noise_depth=1), random_state=0).fit(*table).history_
    assert set(history["stage"]) == {"joint"}


def test_sampling_limit_sets_the_frequencies():
    assert frequency_scales(300, 1, Settings()) == [2.0]
    many = frequency_scales(618, 8, Settings())
    assert len(many) == 2
    assert many == sorted(many)
    assert many[0] == pytest.approx(618 ** (1 / 8) / 8)


def test_progress_total_counts_the_pilots():
    assert stage_runs(Settings(), 618, 8) == {"mean": 8 + 2 * 2, "noise": 8}
    assert stage_runs(Settings(), 300, 1)["mean"] == 8, "both spreads are cut to the same"
    assert stage_runs(Settings(frequency_multiples=(1.0,)), 618, 8)["mean"] == 8
    assert stage_runs(Settings(kernel=False), 300, 1)["density"] == 1, "without a process, densities tell what is known"
    assert stage_runs(Settings(training="joint", members=1), 300, 1) == {"joint": 1}


@pytest.mark.parametrize("contrast", ["bounded", "theory", "printed"])
def test_every_contrast_trains(table, contrast):
    model = TSNetRegressor(**TINY, contrast=contrast).fit(*table)
    assert np.isfinite(model.predict(table[0])).all()


def test_dropout_trains(table):
    model = TSNetRegressor(**TINY, dropout=0.2).fit(*table)
    assert np.isfinite(model.predict(table[0])).all()
