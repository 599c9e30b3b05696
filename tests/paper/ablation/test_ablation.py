"""Tables and figure of the ablation, from results made by hand whose ratios are known."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from paper.ablation.study import ABLATION, FURTHER
from paper.ablation.summary import against_default, against_mean_alone, estimate, ratios
from paper.ablation.variants import DEFAULT, MEAN_ALONE, VARIANTS
from paper.comparison.study import COMPARISON
from paper.data.names import SIX
from paper.engine.collected import write_collected
from paper.engine.figures import write_figures
from paper.engine.ledger import Record
from paper.engine.reading import find_results, read_results
from paper.engine.study import Inputs
from paper.engine.tables import write_tables

FACTORS = {"members_1": 1.5, "mish": 0.8, MEAN_ALONE: 1.0}
"""MSE over the default's on the six; on the further ones its square."""


def record(dataset: str, variant: str, seed: int) -> Record:
    size = 10.0 ** len(dataset) * (1 + seed)  # datasets have units of their own
    factor = FACTORS.get(variant, 1.0) ** (1 if dataset in SIX else 2)
    values = {
        "mse": size * factor, "rmse": np.sqrt(size * factor), "nll_paper": np.log(size) / 2 + factor,
    }  # fmt: skip
    if (dataset, variant, seed) == ("boston", DEFAULT, 1):
        values["rmse"] *= 1.1
    task = ABLATION.task(dataset, variant, seed)
    return Record(task, values, {}, Inputs("0" * 64, {}), {"numpy": "2"}, "by hand")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    names = (DEFAULT, *FACTORS)
    write_collected(folder, ABLATION, [record(d, v, s) for d in (*SIX, *FURTHER) for v in names for s in (0, 1)])
    return folder


def test_variants_are_held_against_the_default_on_the_same_split(results):
    found = against_default(read_results(results, "ablation").scores)
    assert np.exp(found.log_mse["concrete", "members_1"]) == pytest.approx(1.5)
    assert np.exp(found.log_mse["boston", "members_1"]) == pytest.approx(2.25)
    assert found.nll["concrete", "mish"] == pytest.approx(-0.2), "no trace of the unit"
    assert DEFAULT not in found.index.get_level_values("method")


def test_a_split_without_the_default_does_not_count(results):
    scores = read_results(results, "ablation").scores
    scores = scores[~((scores.method == DEFAULT) & (scores.dataset == "boston"))]
    assert "boston" not in against_default(scores).index.get_level_values("dataset")
    assert "boston" not in against_mean_alone(scores).index


def test_geometric_means_by_group_with_intervals(results):
    found = ratios(against_default(read_results(results, "ablation").scores), "log_mse")["members_1"]
    assert found["the six"].mean == pytest.approx(1.5) and found["the further ones"].mean == pytest.approx(2.25)
    power = (len(SIX) + 2 * len(FURTHER)) / (len(SIX) + len(FURTHER))
    whole = found["all datasets"]
    assert whole.mean == pytest.approx(1.5**power) and 1.5 < whole.lower < whole.mean < whole.upper < 2.25


def test_one_dataset_has_no_interval_and_none_no_mean():
    assert estimate(pd.Series([2.0]))[0] == 2 and np.isnan(estimate(pd.Series([2.0])).lower)
    assert np.isnan(estimate(pd.Series([], dtype=float)).mean)


def test_the_bound_on_the_mean_alone_is_checked_by_dataset(results):
    found = against_mean_alone(read_results(results, "ablation").scores)
    assert found.worst["boston"] == pytest.approx(1.1) and 1.02 < found["ratio"]["boston"] < 1.1
    assert found["ratio"].drop("boston").tolist() == pytest.approx([1.0] * (len(found) - 1))


def test_tables_and_figure(results, tmp_path):
    write_tables(results, tmp_path)
    whole = pd.read_csv(tmp_path / "ablation.csv").set_index("variant")
    assert list(whole.index) == [VARIANTS[v].label for v in VARIANTS if v in FACTORS], "in the order of the list"
    line = whole.loc["one network"]
    assert line["MSE ratio, the six"] == "1.500 [1.500, 1.500]"
    assert line["datasets better / worse"] == f"0 / {len(SIX) + len(FURTHER)}"
    assert whole.loc["activation mish", "NLL minus default's"].startswith("-0.3")
    by_dataset = pd.read_csv(tmp_path / "ablation_datasets.csv").set_index("dataset")
    assert by_dataset.loc["Boston housing", "one network"] == 2.25 and len(by_dataset) == len(SIX) + len(FURTHER)
    bound = (tmp_path / "ablation_mean_alone.md").read_text()
    assert (
        f"1 of {len(SIX) + len(FURTHER)} datasets" in bound and "*" in bound.split("Boston housing")[1].split("\n")[0]
    )
    (figure,) = write_figures(results, tmp_path / "figures")
    assert figure.name == "ablation.svg" and "activation mish" in figure.read_text()
    ElementTree.fromstring(figure.read_text())
    again = write_figures(results, tmp_path / "again")
    assert again[0].read_bytes() == figure.read_bytes()


def test_a_study_without_results_is_nothing(results):
    assert find_results(results, COMPARISON.name) is None
    assert find_results(results, "ablation", quick=True) is None
