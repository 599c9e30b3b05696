"""The stages of a fit, seen from outside."""

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.fit.initial import frequency_scales
from taylor_sensus.fit.means import stage_runs
from taylor_sensus.settings import Settings, paper

QUICK = {"noise_epochs": 2, "density_steps": 8, "pilots": 1}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((180, 4))
    return x, x[:, 0] + 0.1 * rng.standard_normal(180)


def test_staged_history_names_stages_and_members(table):
    history = TSNetRegressor(members=2, epochs=4, width=16, random_state=0, details=QUICK).fit(*table).history_
    assert list(history.columns) == ["stage", "member", "step", "loss", "validation"]
    assert history.groupby("stage")["member"].nunique().to_dict() == {"density": 1, "mean": 2, "noise": 2}
    assert (history.groupby(["stage", "member"])["step"].diff().dropna() > 0).all()


def test_joint_history_has_one_stage(table):
    history = TSNetRegressor(**paper(epochs=4, width=16), random_state=0).fit(*table).history_
    assert set(history["stage"]) == {"joint"}


def test_sampling_limit_sets_the_frequencies():
    assert frequency_scales(300, 1, Settings()) == [2.0]
    many = frequency_scales(618, 8, Settings())
    assert len(many) == 3
    assert many == sorted(many)
    assert many[1] == pytest.approx(618 ** (1 / 8) / 8)


def test_progress_total_counts_the_pilots():
    assert stage_runs(Settings(), 618, 8) == {"density": 1, "mean": 8 + 2 * 2 + 2, "noise": 8}
    assert stage_runs(Settings(contrast="off"), 618, 8)["mean"] == 8 + 2 * 2
    assert stage_runs(Settings(contrast="off"), 300, 1)["mean"] == 8
    assert stage_runs(Settings(training="joint", members=1), 300, 1) == {"joint": 1}


def slope():
    """A plane under much noise: a network that starts out wavy and is not smoothed fits the noise."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((100, 3))
    return x, 0.5 * x.sum(axis=1) + 1.5 * rng.standard_normal(100)


def waves():
    """Narrow waves: where the pull smooths, it takes them away."""
    x = np.linspace(-1, 1, 300)[:, None]
    return x, np.sin(25 * x[:, 0])


@pytest.mark.parametrize(("make", "contrast"), [(slope, "bounded"), (waves, "off")])
def test_pilots_choose_contrast_where_it_helps(make, contrast):
    x, y = make()
    some = {**QUICK, "pilots": 2, "frequency_multiples": (8.0,)}
    means = {}
    for choice in ("auto", "bounded", "off"):
        model = TSNetRegressor(members=3, epochs=128, kernel=False, contrast=choice, random_state=0, details=some)
        means[choice] = model.fit(x, y).predict(x)
    other = {"bounded": "off", "off": "bounded"}[contrast]
    assert (means["auto"] == means[contrast]).all()
    assert (means["auto"] != means[other]).any()


@pytest.mark.parametrize("contrast", ["auto", "off", "bounded", "theory", "printed"])
def test_every_contrast_trains(table, contrast):
    model = TSNetRegressor(members=2, epochs=4, width=16, contrast=contrast, random_state=0, details=QUICK).fit(*table)
    assert np.isfinite(model.predict(table[0])).all()


def test_dropout_trains(table):
    model = TSNetRegressor(members=2, epochs=4, width=16, dropout=0.2, random_state=0, details=QUICK).fit(*table)
    assert np.isfinite(model.predict(table[0])).all()
