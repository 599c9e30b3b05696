"""Suggestions from end to end: a real model, tables and spaces, all goals, pending rows, several targets."""

import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hill import QUICK, table, truth

from taylor_sensus import TSNetRegressor
from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.suggest import Suggestions, suggest
from taylor_sensus.suggest.acquisition import Goal
from taylor_sensus.suggest.candidate_model import CandidateModel
from taylor_sensus.suggest.choosing import Chooser, neighbours
from taylor_sensus.suggest.expected_improvement import log_expected_improvement
from taylor_sensus.suggest.space.candidates import read_candidates
from taylor_sensus.tables.columns import decode


def places(found: Suggestions) -> list[int]:
    """Where suggestions stand among the candidates."""
    assert found.positions is not None
    return found.positions.tolist()


BOUNDS = {"temp": (20.0, 80.0), "share": (0.0, 1.0)}


def test_learning_goes_where_the_model_is_ignorant(model):
    pool = table(400, 7)
    found = suggest(model, pool, n=6, random_state=0)
    assert (found.table.temp > 45).sum() >= 5, "it was fitted to rows below 50 degrees"
    assert list(found.table.columns) == [
        "id", "temp", "share", "solvent",
        "predicted mean", "predicted std", "dominant source", "advice", "yield", "status",
    ]  # fmt: skip
    pd.testing.assert_frame_equal(found.table[list(pool)], pool.iloc[places(found)].reset_index(drop=True))
    said = model.predict_distribution(pool.iloc[places(found)])
    np.testing.assert_allclose(found.table["predicted mean"], said.mean, rtol=1e-6)
    np.testing.assert_allclose(found.table["predicted std"], said.std, rtol=1e-6)
    assert found.table["yield"].isna().all() and (found.table.status == "").all()
    assert found.table.id.is_unique and set(found.table.advice) == {"new point"}
    assert np.ptp(found.table.temp) > 5 and np.ptp(found.table.share) > 0.3, "not all in one corner"


def test_the_outlook_says_what_the_batch_would_change(model):
    pool = table(400, 7)
    one, many = (suggest(model, pool, n=n, random_state=0).outlook for n in (1, 20))
    now = np.median(model.predict_distribution(pool).std)
    assert one.median_std == many.median_std == pytest.approx(now, rel=1e-3)
    assert 0 < one.reduction < many.reduction < many.possible < 1
    text = str(suggest(model, pool, n=20, random_state=0))
    assert (
        "lower the median error bar (std)" in text
        and "20 suggestions to learn most (yield), from 400 candidates" in text
    )


def test_the_outlook_comes_near_the_truth(model):
    """Measure what was suggested, fit again, and look at the same candidates."""
    pool = table(300, 7)
    found = suggest(model, pool, n=40, random_state=0)
    X = table(160, seed=0)
    X = pd.concat([X[X.temp < 50], pool.iloc[places(found)]], ignore_index=True)

    y = truth(X) + np.random.default_rng(3).normal(0, 0.3, len(X))
    after = TSNetRegressor(**QUICK, random_state=0, n_jobs=1).fit(X, y).predict_distribution(pool)
    before = model.predict_distribution(pool)
    assert np.median(after.epistemic) < np.median(before.epistemic)
    assert np.mean(after.epistemic) < 0.3 * np.mean(before.epistemic), "half of the candidates were strange before"
    assert 0.5 < np.median(after.std) / found.outlook.expected_median_std < 2


@pytest.mark.parametrize(("goal", "sign"), [("max", 1), ("min", -1)])
def test_best_values_are_looked_for(model, goal, sign):
    pool = table(400, 8)
    found = suggest(model, pool, n=5, goal=goal, random_state=0)
    X = table(160, seed=0)
    best = (sign * model.predict(X[X.temp < 50])).max()
    said = model.predict_distribution(pool)
    hope = log_expected_improvement(sign * said.mean, said.epistemic, best)
    assert places(found)[0] == hope.argmax()
    rank = np.argsort(np.argsort(-hope))[places(found)]
    assert (rank < 60).sum() >= 4 and rank.max() < 200, "the others differ for diversity's sake"
    assert found.goal == {"max": "find the highest", "min": "find the lowest"}[goal]


def test_the_best_so_far_is_the_best_that_may_be_chosen(model):
    """No lucky reading, and nothing outside of the bounds; measured rows need not be on steps."""
    X = table(160, seed=0)
    X = X[X.temp < 50]
    asked, rng = CandidateModel(model, None), np.random.default_rng(0)
    for bounds in ({"temp": (20.0, 50.0)}, {"temp": (20.0, 30.0)}):
        space = read_candidates(
            {**BOUNDS, **bounds}, None, [{"step": {"temp": 0.5}}], asked.columns, asked.encoded, rng
        )
        best = Chooser(asked, space, Goal("max"), None, 1.0, rng).best
        known = model.predict(X[X.temp <= bounds["temp"][1]])
        assert best is not None
        assert best * asked.unit + model.fitted_.scaler.target_center[0] == pytest.approx(known.max(), rel=1e-3)


def test_a_target_value_is_approached(model):
    pool = table(400, 8)
    aim = float(np.median(model.predict(pool)))
    found = suggest(model, pool, n=4, goal=("target", aim), random_state=0)
    away = (found.table["predicted mean"] - aim).abs()
    assert (away < 1.5 * found.table["predicted std"]).all()


@pytest.mark.slow
def test_a_space_is_searched_and_constraints_are_met(model):
    constraints = [
        {"step": {"temp": 2.5}}, {"linear": {"temp": 0.01, "share": 1}, "at_most": 1.1}, {"fixed": {"solvent": "oil"}},
    ]  # fmt: skip
    found = suggest(model, bounds=BOUNDS, n=5, goal="max", constraints=constraints, random_state=0)
    t = found.table
    assert (t.temp % 2.5 == 0).all() and t.temp.between(20, 80).all() and t.share.between(0, 1).all()
    assert (0.01 * t.temp + t.share <= 1.1 + 1e-9).all() and (t.solvent == "oil").all()
    assert found.positions is None and "candidate" not in t.columns
    asked = CandidateModel(model, None)
    scaled = asked.scaled(asked.encoded(t[["temp", "share", "solvent"]]))
    assert all(neighbours(scaled, row).sum() == 1 for row in scaled), "no two are the same but for a hair"
    again = suggest(model, dict(BOUNDS), n=5, goal="max", constraints=constraints, random_state=0)
    pd.testing.assert_frame_equal(t, again.table)
    drawn = pd.DataFrame({**table(4000, 9), "solvent": "oil"})
    drawn = drawn[0.01 * drawn.temp + drawn.share <= 1.1]
    hope = model.predict_distribution(drawn)
    top = t["predicted mean"] + t["predicted std"]
    assert top.max() > np.quantile(hope.mean + hope.epistemic, 0.99)


def test_constraints_choose_among_the_rows_of_a_table(model):
    pool = table(400, 7)
    found = suggest(model, pool, n=6, bounds={"temp": (30, 45)}, constraints={"fixed": {"solvent": "water"}})
    assert found.table.temp.between(30, 45).all() and (found.table.solvent == "water").all()
    assert found.candidates == (pool.temp.between(30, 45) & (pool.solvent == "water")).sum()
    with pytest.raises(SettingError, match="400 rows break 'temp from 100 to 200'"):
        suggest(model, pool, bounds={"temp": (100, 200)})


def test_pending_rows_and_their_neighbourhood_are_left_alone(model):
    pool = table(400, 7)
    first = suggest(model, pool, n=4, random_state=0)
    second = suggest(model, pool, n=4, pending=first, random_state=0)
    assert not set(places(first)) & set(places(second))
    twice = pd.concat([first.table[list(pool)], first.table[list(pool)].assign(share=lambda t: t.share + 1e-6)])
    with pytest.raises(DataError, match="pending"):
        suggest(model, twice, pending=first.table)
    near = suggest(model, pd.concat([twice, pool.iloc[[5]]]), n=3, pending=first)
    assert list(places(near)) == [8] and "Only 1 different" in near.note
    assert second.outlook.median_std < first.outlook.median_std, "pending rows will be known"


def test_labels_of_a_table_are_kept_and_equal_rows_are_asked_once(model):
    pool = table(30, 7).set_axis([f"batch {i}" for i in range(30)])
    found = suggest(model, pd.concat([pool, pool]), n=40, random_state=0)
    assert len(found) == 30 and len(set(found.table.candidate)) == 30
    assert found.table.candidate[0] == f"batch {places(found)[0] % 30}"


def test_arrays_and_a_model_without_a_kernel_part(plain):
    pool = np.random.default_rng(4).uniform(-2, 2, (300, 2))
    found = suggest(plain, pool, n=5, random_state=0)
    assert list(found.table.columns[1:3]) == ["x0", "x1"]
    said = plain.predict_distribution(pool)
    assert said.epistemic[places(found)].mean() > said.epistemic.mean()
    assert suggest(plain, {"x0": (-1.0, 1.0), "x1": [0.0, 0.5]}, n=3, goal="min").table.x1.isin([0, 0.5]).all()


def test_several_targets():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"id": rng.uniform(-1, 1, 60), "b": rng.uniform(-1, 1, 60)})
    Y = pd.DataFrame({"up": X.id + rng.normal(0, 0.1, 60), "status": -X.id + rng.normal(0, 0.1, 60)})
    both = TSNetRegressor(**QUICK, random_state=0, n_jobs=1).fit(X, Y)
    with pytest.raises(SettingError, match="target="):
        suggest(both, X)
    high = suggest(both, X, n=3, goal="max", target="up", random_state=0).table
    low = suggest(both, X, n=3, goal="max", target="status", random_state=0).table
    assert high.id.mean() > low.id.mean()
    assert {"id_", "status_", "up", "status"} <= set(high.columns), "the form's own names give way"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"bounds": [1, 2]}, "a dictionary by column"),
        ({"bounds": {**BOUNDS, "colour": (0, 1)}}, "no column 'colour'"),
        ({"candidates": [[1, 2]]}, "must be a table"),
        ({"candidates": pd.DataFrame({"temp": [1]})}, "lacks the columns 'share', 'solvent'"),
        ({"candidates": table(0, 0)}, "no rows"),
        ({"bounds": BOUNDS, "n": 0}, "n must be"),
        ({"bounds": BOUNDS, "goal": "best"}, "goal is 'best'"),
        ({"bounds": BOUNDS, "goal": ("target", "high")}, "goal is"),
        ({"bounds": BOUNDS, "diversity": -1}, "diversity"),
        ({"bounds": BOUNDS, "target": "taste"}, "no target 'taste'"),
        ({"candidates": dict(BOUNDS), "bounds": {"temp": [30]}}, "in candidates and in bounds"),
    ],
)
def test_what_is_refused(model, arguments, words):
    with pytest.raises((SettingError, DataError), match=words):
        suggest(model, **arguments)


def test_without_bounds_those_of_the_training_rows_count(model):
    rows = decode(model.fitted_.rows.x, model.fitted_.columns)
    found = suggest(model, n=3, random_state=0)
    for name in ("temp", "share"):
        assert rows[name].min() <= found.table[name].min() and found.table[name].max() <= rows[name].max()
        assert f"{name} from {rows[name].min():g} to {rows[name].max():g}" in found.note
    found = suggest(model, n=3, bounds={"temp": (20, 30)}, constraints=[{"fixed": {"share": 0.5}}], random_state=0)
    assert found.table["temp"].between(20, 30).all() and (found.table["share"] == 0.5).all() and not found.note
    without = copy.copy(model)
    without.fitted_ = replace(model.fitted_, rows=None)
    with pytest.raises(SettingError, match="does not hold its training rows; give candidates"):
        suggest(without)


def test_candidates_with_gaps_are_refused_by_row_and_column(model):
    pool = table(5, 0)
    pool.loc[3, "share"] = np.nan
    with pytest.raises(DataError, match="row 3, column 'share' is empty"):
        suggest(model, pool)
