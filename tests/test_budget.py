"""The noise budget: variances add up, shares too, and what is said about each source is true."""

import time
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taylor_sensus.budget import DECLARED, BudgetParts, NoiseBudget, shares
from taylor_sensus.budget_mean import added, budget_sums, mean_table
from taylor_sensus.errors import DataError, SettingError
from tests.tiny import numbers, tiny


def parts(rows=6, targets=("strength [MPa]",), columns=("temp [degC]", "time [s]", "alloy"), **changes):
    """Noise of known size through known slopes; the third column holds categories."""
    rng = np.random.default_rng(1)
    shape = (rows, len(targets), len(columns))
    std, slope = rng.uniform(0.1, 1, (rows, len(columns))), rng.normal(size=shape)
    made = BudgetParts(
        columns=tuple(columns),
        contribution=(std[:, None, :] * slope) ** 2,
        sensitivity=slope,
        input_std=std,
        kind=np.zeros((rows, len(columns)), np.int8),
        system=rng.uniform(0.1, 1, shape[:2]),
        target_error=np.zeros(shape[:2]),
        epistemic=rng.uniform(0.1, 1, shape[:2]),
        identifiable=np.ones(len(columns), bool),
        system_identifiable=True,
        target_names=tuple(targets),
        index=None,
    )
    if len(columns) > 2:
        made.input_std[:, 2] = np.nan
        made.sensitivity[:, :, 2] = np.nan
    return made._replace(**changes)


def total(given):
    return given.contribution.sum(axis=2) + given.system + given.target_error + given.epistemic


@pytest.mark.parametrize("targets", [("y",), ("y", "z")])
def test_variances_and_shares_add_up(targets):
    given = parts(targets=targets, target_error=np.full((6, len(targets)), 0.3))
    budget = NoiseBudget(given)
    assert budget.total_variance == pytest.approx(total(given), rel=1e-14)
    assert budget.variance.sum(axis=2) == pytest.approx(budget.total_variance, abs=0)
    assert np.abs(budget.share.sum(axis=2) - 1).max() < 1e-12
    frame = budget.to_frame()
    keys = ["row"] if len(targets) == 1 else ["row", "target"]
    assert frame.groupby(keys, observed=True)["share"].sum().to_numpy() == pytest.approx(1, abs=1e-9)
    assert frame.groupby(keys, observed=True, sort=False)["variance"].sum().to_numpy() == pytest.approx(
        total(given).ravel()
    )


@given(st.floats(-150, 150), st.integers(0, 5))
def test_shares_add_up_in_any_unit(power, zeros):
    variance = np.random.default_rng(0).uniform(size=(4, 1, 8))
    variance[..., :zeros] = 0
    assert np.abs(shares(variance * 10.0**power).sum(axis=-1) - 1).max() < 1e-9


def test_a_row_without_any_variance_has_no_shares():
    zero = np.zeros((2, 1))
    given = parts(rows=2, contribution=np.zeros((2, 1, 3)), system=zero, epistemic=zero)
    budget = NoiseBudget(given)
    assert not budget.share.any() and not budget.mean()["share"].any()
    assert "0.0 %" in str(budget)


def test_the_mean_averages_variances():
    given = parts(rows=50)
    mean = NoiseBudget(given).mean(every=True).set_index("source")
    assert mean["variance"].sum() == pytest.approx(total(given).mean())
    assert mean["share"].sum() == pytest.approx(1, abs=1e-12)
    temp = mean.loc["temp [degC]"]
    assert temp["contribution"] == pytest.approx(np.sqrt(given.contribution[:, 0, 0].mean()))
    assert temp["share"] == pytest.approx(given.contribution[:, 0, 0].mean() / total(given).mean())
    assert temp["std"] == pytest.approx(np.sqrt(np.mean(given.input_std[:, 0] ** 2)))
    assert temp["sensitivity"] == pytest.approx(np.sqrt(np.mean(given.sensitivity[:, 0, 0] ** 2)))
    assert np.isnan(mean.loc["alloy", "std"]) and np.isnan(mean.loc["system_noise", "sensitivity"])


def test_blocks_of_rows_give_the_same_mean():
    declared = np.where(np.arange(40) < 25, 0.0, 0.3)[:, None]  # the first block has no such source at all
    budget = NoiseBudget(parts(rows=40, target_error=declared))
    sums = [budget_sums(budget.rows(slice(*ends))) for ends in ((0, 20), (20, 25), (25, 40))]
    joined = mean_table(added(added(sums[0], sums[1]), sums[2]))
    pd.testing.assert_frame_equal(joined, budget.mean(every=True))


def test_one_row_keeps_the_sign_of_its_sensitivity():
    given = parts()
    row = NoiseBudget(given).row(4)
    assert row["sensitivity"][:2].to_numpy() == pytest.approx(given.sensitivity[4, 0, :2])
    assert row["sensitivity"][0] * row["std"][0] == pytest.approx(
        np.sign(given.sensitivity[4, 0, 0]) * row["contribution"][0]
    )
    pd.testing.assert_frame_equal(NoiseBudget(given).row(-2), row)
    for wrong in (6, -7, "temp", None):
        with pytest.raises(SettingError, match="rows count from 0 to 5"):
            NoiseBudget(given).row(wrong)


def test_the_long_table_says_what_the_arrays_say():
    given = parts(targets=("a", "b"), index=pd.Index(list("uvwxyz")))
    frame = NoiseBudget(given).to_frame()
    assert len(frame) == 6 * 2 * 5
    line = frame[(frame["row"] == "x") & (frame["target"] == "b") & (frame["source"] == "time [s]")].iloc[0]
    assert line["variance"] == given.contribution[3, 1, 1] and line["std"] == given.input_std[3, 1]
    assert line["sensitivity"] == given.sensitivity[3, 1, 1] and line["part"] == "feature_noise"
    system = frame[(frame["row"] == "z") & (frame["target"] == "a") & (frame["part"] == "system_noise")].iloc[0]
    assert system["variance"] == given.system[5, 0] and np.isnan(system["std"])
    assert "target" not in NoiseBudget(parts()).to_frame()


def test_origins_are_never_mixed_up():
    kind = np.zeros((10, 3), np.int8)
    kind[:, 0], kind[:2, 1], kind[:, 2] = 1, 2, 3
    budget = NoiseBudget(parts(rows=10, kind=kind, target_error=np.full((10, 1), 0.1)))
    assert budget.mean()["origin"].tolist() == [
        "declared", "learned 80 %, missing 20 %", "exact", "learned", "declared", "learned",
    ]  # fmt: skip
    long = budget.to_frame()
    assert long[long["source"] == "time [s]"]["origin"].tolist() == ["missing"] * 2 + ["learned"] * 8
    assert budget.row(0)["origin"].tolist()[:3] == ["declared", "missing", "exact"]


def test_declared_errors_are_identifiable_even_where_learned_ones_are_not():
    kind = np.zeros((4, 3), np.int8)
    kind[:, 0], kind[0, 1] = 1, 1
    budget = NoiseBudget(parts(rows=4, kind=kind, identifiable=np.zeros(3, bool), system_identifiable=False))
    assert budget.identifiable is False
    mean = budget.mean(every=True).set_index("source")["identifiable"]
    assert mean.to_dict() == {
        "temp [degC]": True, "time [s]": False, "alloy": False, "system_noise": False, "epistemic": True,
    }  # fmt: skip
    frame = budget.to_frame()
    assert frame[frame["source"] == "time [s]"]["identifiable"].tolist() == [True, False, False, False]


def test_the_warning_stands_only_where_it_is_true_and_names_the_remedies():
    resolved, open_ = NoiseBudget(parts()), NoiseBudget(parts(system_identifiable=False))
    for text in (str(open_), open_._repr_html_()):
        assert "Not identifiable" in text and "X_err" in text and "only the sum" in text
    for text in (str(resolved), resolved._repr_html_()):
        assert "Not identifiable" not in text


def test_dominant_names_the_largest_source():
    given = parts(rows=3)
    given.contribution[0, 0, 1], given.system[1], given.epistemic[2] = 99, 99, 99
    assert NoiseBudget(given).dominant.tolist() == ["time [s]", "system_noise", "epistemic"]
    assert NoiseBudget(parts(targets=("a", "b"))).dominant.shape == (6, 2)


def test_a_column_named_like_a_source_stays_apart():
    budget = NoiseBudget(parts(columns=("system_noise", "epistemic")))
    assert budget.sources == ("system_noise (column)", "epistemic (column)", "system_noise", "epistemic")


def test_choosing_targets_and_rows():
    given = parts(targets=("a", "b"), index=pd.Index(list("uvwxyz")))
    budget = NoiseBudget(given)
    assert budget.target("b").total_variance[:, 0] == pytest.approx(total(given)[:, 1])
    assert list(budget.rows([5, 0]).index) == ["z", "u"]
    assert budget.rows(np.arange(6) > 3).total_variance == pytest.approx(total(given)[4:])
    with pytest.raises(SettingError, match="no target 'c'"):
        budget.target("c")


def test_text_is_aligned_and_has_units_and_a_total():
    text = str(NoiseBudget(parts(targets=("strength [MPa]", "näme ᚠ 長さ"))))
    lines = text.splitlines()
    assert lines[0] == "Noise budget of strength, average of 6 rows"
    assert lines[1].startswith("  split of the noise: good") and lines[2].startswith("  too little data: ")
    table = lines[3 : lines.index("Noise budget of näme ᚠ 長さ, average of 6 rows")]
    ends = {line.index("%") for line in table if "%" in line}
    assert len(ends) == 1, "shares stand below each other"
    assert any("degC" in line and "MPa/degC" in line for line in table)
    assert table[-1].split()[0] == "total" and "100.0 %" in table[-1]
    assert "of 1 row" not in str(NoiseBudget(parts(rows=1))) and ", 1 row" in str(NoiseBudget(parts(rows=1)))


def test_many_sources_share_a_line_and_silent_ones_are_named():
    given = parts(columns=[f"c{i}" for i in range(30)])
    given.contribution[:, :, 7] = 0
    text = str(NoiseBudget(given))
    assert "smaller ones" in text and "without any part in it: c7" in text
    assert len(text.splitlines()) < 20


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)


def test_html_is_escaped():
    hostile = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a\nb\u202ec"]
    page = NoiseBudget(parts(columns=hostile, targets=("<b onload=x>",)))._repr_html_()
    reader = Tags()
    reader.feed(page)
    assert reader.seen <= {"p", "b", "table", "thead", "tbody", "tr", "th", "td", "div", "span", "bdi"}
    assert "&lt;script&gt;" in page and "\u202e" not in page and page.count("<b>") == 1


def test_an_empty_budget_is_refused_only_where_there_is_nothing_to_say():
    budget = NoiseBudget(parts(rows=0))
    assert len(budget) == 0 and budget.to_frame().empty and "no rows" in str(budget)
    with pytest.raises(DataError, match="no rows"):
        budget.mean(every=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"system": np.ones((6, 2))}, r"system has shape \(6, 2\), not \(6, 1\)"),
        ({"contribution": -np.ones((6, 1, 3))}, "contribution holds variances below 0"),
        ({"epistemic": np.full((6, 1), np.nan)}, "epistemic holds variances below 0 or not finite"),
        ({"kind": np.full((6, 3), 4, np.int8)}, "kind holds numbers outside 0 to 3"),
        ({"index": pd.RangeIndex(5)}, "5 labels for 6 rows"),
    ],
)
def test_wrong_parts_are_named(changes, message):
    with pytest.raises(DataError, match=message):
        NoiseBudget(parts(**changes))


def test_a_large_table_is_averaged_quickly():
    given = parts(rows=100_000, columns=[f"c{i}" for i in range(30)])
    start = time.process_time()
    mean = NoiseBudget(given).mean(every=True)
    assert time.process_time() - start < 3
    assert mean["variance"].sum() == pytest.approx(total(given).mean())


def test_the_mean_fits_a_screen_and_tells_all_on_request():
    budget = NoiseBudget(parts())
    short, every = budget.mean(), budget.mean(every=True)
    assert [name for name in short if name != "target"] == ["source", "std", "contribution", "share", "origin"]
    assert set(short) < set(every) and {"part", "sensitivity", "variance", "identifiable"} <= set(every)
    pd.testing.assert_frame_equal(every[list(short)], short)


def test_a_declared_error_is_shown_as_it_was_declared():
    X, y = numbers()
    model = tiny(kernel=True).fit(X, y, X_err=np.array([0.3, 0.0, 0.0, 0.0]))
    shown = model.noise_budget(X).to_frame()
    first = shown[shown["source"] == shown["source"].iloc[0]]
    assert set(first["origin"]) == {"declared"}
    np.testing.assert_allclose(first["std"], 0.3, rtol=1e-6)


def system_between(low, high, **changes):
    """A budget whose system has a share of the learned noise between these bounds."""
    given = parts(**changes)
    bounds = np.zeros((1, len(given.columns) + 1, 2))
    bounds[:, -1] = low, high
    return NoiseBudget(given._replace(share_bounds=bounds))


def test_narrow_shares_of_learned_noise_are_praised_only_where_no_assumption_matters():
    mixed, almost_all = system_between(0.3, 0.5), system_between(0.93, 1.0)
    assert mixed.assumes_one_size and not almost_all.assumes_one_size
    assert "split of the noise: fair" in str(mixed) and "has one size" in str(mixed)
    assert "has one size" in mixed._repr_html_()
    assert "split of the noise: good" in str(almost_all) and "has one size" not in str(almost_all)
    wide = system_between(0.0, 0.9, system_identifiable=False)
    assert not wide.assumes_one_size and "split of the noise: check" in str(wide) and "has one size" not in str(wide)


def test_declared_errors_need_no_assumption():
    declared = np.full((6, 3), DECLARED, np.int8)
    found = system_between(0.0, 1.0, kind=declared)
    assert not found.assumes_one_size and "has one size" not in str(found)
