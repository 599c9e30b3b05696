"""The study `deviations`: the noise is what it says, the scores tell what is captured, table and figure show it."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from paper.deviations import run as deviations
from paper.deviations.noise import KINDS, SHIFT
from paper.deviations.run import deviating, scores
from paper.deviations.study import DEVIATIONS, METHODS, NOISE_KINDS
from paper.engine.collected import write_collected
from paper.engine.figures import write_figures
from paper.engine.ledger import Record
from paper.engine.study import Inputs, Selection
from paper.engine.tables import write_tables
from paper.toys.problems import kept
from taylor_sensus.datasets.synthetic import ToyProblem, toy_1d
from taylor_sensus.prediction import Prediction

EVERY_KIND = pytest.mark.parametrize("kind", NOISE_KINDS)


@EVERY_KIND
def test_mean_and_std_are_those_of_draws(kind):
    value, size = np.array([-1.5, 0.7, 3.0]), np.array([0.1, 0.3, 0.5])
    rng = np.random.default_rng(0)
    y = np.stack([KINDS[kind].draw(value, size, rng) for _ in range(40_000)])
    assert y.mean(axis=0) == pytest.approx(KINDS[kind].mean(value, size), abs=0.02)
    assert y.std(axis=0) == pytest.approx(KINDS[kind].std(value, size), rel=0.03)


def test_each_kind_deviates_in_its_own_way():
    value, size, rng = np.full(20_000, 2.0), np.full(20_000, 0.5), np.random.default_rng(0)
    errors = {kind: noise.draw(value, size, rng) - value for kind, noise in KINDS.items()}
    assert np.mean((errors["gamma"] / 0.5) ** 3) == pytest.approx(np.sqrt(2), abs=0.2), "skewed"
    assert abs(np.mean((errors["gaussian"] / 0.5) ** 3)) < 0.1
    assert np.mean(errors["salt_pepper"] == 0) == pytest.approx(0.9, abs=0.01)
    assert errors["shifted"].mean() == pytest.approx(SHIFT, abs=0.02)
    assert KINDS["multiplicative"].std(np.array([-4.0, 0.0]), size[:2]) == pytest.approx([1.2, 0])


@EVERY_KIND
def test_only_the_targets_change(kind):
    toy, own = deviating(kind, 3), toy_1d(3)
    assert np.array_equal(toy.X, own.X) and np.array_equal(toy.y_eval, own.y_eval) and not np.array_equal(toy.y, own.y)
    assert np.array_equal(toy.y, deviating(kind, 3).y) and not np.array_equal(toy.y, deviating(kind, 4).y)


def moments(kind: str, toy: ToyProblem) -> Prediction:
    """The exact mean and standard deviation everywhere."""
    size, nothing = toy.system_noise_std(toy.X_eval), np.zeros(len(toy.X_eval))
    std = KINDS[kind].std(toy.y_eval, size)
    return Prediction(KINDS[kind].mean(toy.y_eval, size), nothing, std**2, nothing, nothing)


@EVERY_KIND
def test_exact_moments_score_as_the_ideal(kind):
    toy = deviating(kind, 0)
    found = scores(kind, toy, moments(kind, toy), 0)
    assert found["nll"] == pytest.approx(found["nll_ideal"]) and found["mse_mean"] == pytest.approx(0)
    assert found["coverage_90"] == found["coverage_90_ideal"]
    assert found["coverage_90"] + found["missed_below"] + found["missed_above"] == pytest.approx(1)
    assert found["noise_ratio"] == pytest.approx(1) and found["noise_spearman"] == pytest.approx(1)
    assert found["bias"] == pytest.approx({"shifted": SHIFT, "salt_pepper": 0.0}.get(kind, 0.0), abs=0.1)
    skewed = kind == "gamma"
    assert (found["missed_above"] > 2 * found["missed_below"]) == skewed
    if kind == "gaussian":
        assert found["coverage_90"] == pytest.approx(0.9, abs=0.01)


def test_a_real_task_and_what_it_depends_on():
    task = DEVIATIONS.task("gamma", "tsnet_paper", 0, quick=True)
    found = deviations.run(task, 1)
    assert set(found.arrays) == {"mean", "feature_noise", "system_noise", "epistemic"}
    assert all(np.isfinite(value) for value in found.values.values())
    assert 0.5 < found.values["noise_ratio"] < 10, "a few epochs leave most of the function in the noise"
    hashes = {deviations.inputs(DEVIATIONS.task(kind, "tsnet", 0)).dataset_sha256 for kind in NOISE_KINDS}
    assert len(hashes) == len(NOISE_KINDS)


def record(kind: str, method: str, seed: int) -> Record:
    toy = deviating(kind, seed)
    prediction = moments(kind, toy)
    arrays = kept(prediction) if seed == 0 else {}
    task = DEVIATIONS.task(kind, method, seed)
    return Record(task, scores(kind, toy, prediction, seed), arrays, Inputs("0" * 64, {}), {}, "by hand")


def test_table_and_figure(tmp_path):
    tasks = DEVIATIONS.tasks(Selection(seeds=[0, 1]))
    assert len(tasks) == 2 * len(KINDS) * len(METHODS)
    write_collected(tmp_path, DEVIATIONS, [record(task.dataset, task.method, task.seed) for task in tasks])
    write_tables(tmp_path, tmp_path / "tables")
    table = pd.read_csv(tmp_path / "tables" / "deviations.csv")
    assert list(table.noise.unique()) == [kind.title for kind in KINDS.values()] and len(table) == 10
    shifted = table[table.noise == KINDS["shifted"].title]
    assert set(shifted["mean error"]) == {"1.00 ± 0.00"} and set(shifted["noise over the true one"]) == {"1.00 ± 0.00"}
    assert (table["90 % coverage"] == table["exact mean and std"]).all()
    (figure,) = write_figures(tmp_path, tmp_path / "figures")
    text = figure.read_text()
    ElementTree.fromstring(text)
    assert figure.name == "deviations.svg" and all(kind.title in text for kind in KINDS.values())
