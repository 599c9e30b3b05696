"""TSNetSearch: never worse than where it started, the same result however it was run, nothing lost when killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import (
    check_get_params_invariance,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
)

from taylor_sensus import DataError, SettingError, TSNetRegressor, TSNetSearch
from taylor_sensus.model.tails import Tails
from taylor_sensus.prediction import Prediction
from taylor_sensus.scores import crps, mse, nll
from taylor_sensus.search import SPACE
from taylor_sensus.search.evaluation import weighted_score
from taylor_sensus.search.folds import FoldedRows
from taylor_sensus.search.journal import FoldScore, Journal, stored_seed
from taylor_sensus.search.space import Options, default_space, resolved
from taylor_sensus.settings import DEFAULTS, fast, paper

pytestmark = pytest.mark.slow

TINY = paper(
    members=2, width=8, depth=1, epochs=4, contrast="off", folds=2, noise_width=8, noise_depth=1
)  # one stage of training: the least to compile
SMALL_SPACE = {"learning_rate": (1e-5, 0.1, 0.3), "weight_decay": (0.0, 0.5), "prior": ("ridge", "mean")}
"""Settings for which nothing is compiled anew."""


def table(rows=24):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    return X, 3 * X[:, 0] + 0.1 * rng.normal(size=rows)


def search(**changes):
    given = {"estimator": TSNetRegressor(**TINY), "space": SMALL_SPACE, "trials": 7, "cv": 3, "random_state": 0}
    return TSNetSearch(**{**given, **changes})


def timeless(model):
    return model.results_.drop(columns="seconds")


@pytest.fixture(scope="module")
def undisturbed():
    return search().fit(*table())


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    return search(trials=3, journal=tmp_path_factory.mktemp("short") / "journal.jsonl").fit(*table())


@pytest.fixture
def its_journal(short, tmp_path):
    """A copy of the journal of the short search: with it nothing is judged again."""
    return Path(shutil.copy(short.journal, tmp_path))


# --- what is found -----------------------------------------------------------------------------------


def test_first_trial_is_the_estimator_itself_and_the_winner_has_the_best_mean(undisturbed):
    results = undisturbed.results_
    own = results.iloc[0]
    assert (own["learning_rate"], own["weight_decay"], own["prior"]) == (0.03, 0.0, "mean")
    finished = results[results["state"] == "finished"]
    assert undisturbed.best_score_ == finished["score"].min() <= own["score"]
    assert not results.duplicated(list(SMALL_SPACE)).any()
    folds = finished[["fold_1", "fold_2", "fold_3"]]
    np.testing.assert_allclose(folds.mean(axis=1), finished["score"])


def test_larger_steps_are_found_for_a_training_that_is_too_short(undisturbed):
    assert undisturbed.best_params_["learning_rate"] > 0.03 and len(undisturbed.results_) == 7


def test_best_params_give_the_same_model(undisturbed):
    X, y = table()
    again = TSNetRegressor(**undisturbed.best_params_).fit(X, y)
    mean, std = undisturbed.predict(X, return_std=True)
    np.testing.assert_array_equal(again.predict(X), mean)
    np.testing.assert_array_equal(undisturbed.predict_distribution(X).std, std)
    assert undisturbed.best_params_["details"] == {**TINY["details"], **undisturbed.best_params_["details"]}


def test_scores_are_those_of_fits_without_the_fold(undisturbed):
    X, y = table()
    fold = FoldedRows.of(X, X, y[:, None], np.ones(24), cv=3, seed=seed_of(0)).folds[1]
    model = TSNetRegressor(**TINY, random_state=seed_of(0)).fit(X[fold.train], y[fold.train])
    wanted = -model.predict_distribution(X[fold.held_out]).logpdf(y[fold.held_out]).mean()
    assert wanted == pytest.approx(undisturbed.results_["fold_2"][0], rel=1e-6)


def seed_of(random_state):
    return int(np.random.RandomState(random_state).randint(2**31 - 1))


def test_a_trial_is_given_up_exactly_if_it_loses_to_the_best_of_earlier_rounds_on_both_first_folds():
    results = search(scoring="mse").fit(*table()).results_
    rounds = [results.iloc[:1], results.iloc[1:5], results.iloc[5:]]
    best = rounds[0].iloc[0]
    for trials in rounds[1:]:
        loses = (trials["fold_1"] > best["fold_1"]) & (trials["fold_2"] > best["fold_2"])
        assert (trials["state"] == np.where(loses, "given up", "finished")).all()
        assert trials["fold_3"].isna().equals(loses) and trials["score"].isna().equals(loses)
        for _, trial in trials[~loses].iterrows():
            best = trial if trial["score"] < best["score"] else best
    assert set(results["state"]) == {"finished", "given up"}


def test_settings_that_only_do_harm_leave_the_estimator_as_it_was():
    estimator = TSNetRegressor(**{**TINY, "learning_rate": 0.1}, random_state=3)
    found = search(estimator=estimator, space={"learning_rate": (1e-6, 1e-5)}).fit(*table())
    assert TSNetRegressor(**found.best_params_).get_params() == estimator.get_params()
    assert len(found.results_) == 3, "a small space ends the search early"


# --- however it is run --------------------------------------------------------------------------------


def test_worker_processes_change_nothing(undisturbed):
    found = search(n_jobs=2, trials=5).fit(*table())
    pd.testing.assert_frame_equal(timeless(found), timeless(undisturbed).iloc[:5])


def test_order_of_rows_changes_nothing_but_rounding(undisturbed):
    X, y = table()
    found = search(trials=2).fit(X[::-1], y[::-1])
    np.testing.assert_allclose(found.results_["score"], undisturbed.results_["score"][:2], rtol=1e-6)


def test_a_journal_lets_a_longer_search_go_on(undisturbed, its_journal):
    before = its_journal.read_bytes()
    longer = search(journal=its_journal).fit(*table())
    pd.testing.assert_frame_equal(timeless(longer), timeless(undisturbed))
    assert its_journal.read_bytes().startswith(before)
    judged = [(tuple(r["choice"]), r["fold"]) for r in map(json.loads, its_journal.read_text().splitlines()[1:])]
    assert len(judged) == len(set(judged)), "no fold is judged twice"


def test_a_killed_search_goes_on_to_the_same_result(undisturbed, tmp_path):
    path = tmp_path / "journal.jsonl"
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_search as t\n"
        "t.search(journal=sys.argv[2]).fit(*t.table())"
    )
    child = subprocess.Popen([sys.executable, "-c", code, os.path.dirname(__file__), str(path)])
    deadline = time.monotonic() + 120
    while not (path.exists() and path.read_bytes().count(b"\n") > 4):
        assert child.poll() is None and time.monotonic() < deadline, "the search ended before it could be killed"
        time.sleep(0.002)
    os.kill(child.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    child.wait()
    kept = path.read_bytes().count(b"\n")
    with path.open("ab") as file:
        file.write(b'{"trial": 2, "choice": [0, 1')  # a line cut short
    resumed = search(journal=path).fit(*table())
    pd.testing.assert_frame_equal(timeless(resumed), timeless(undisturbed))
    np.testing.assert_array_equal(resumed.predict(table()[0]), undisturbed.predict(table()[0]))
    lines = path.read_bytes().split(b"\n")
    folds = undisturbed.results_.filter(like="fold_").notna().to_numpy().sum()
    assert 4 < kept < folds + 1, "killed half way"
    assert lines[kept] == b'{"trial": 2, "choice": [0, 1' and len(lines) == folds + 3  # header, cut line, end


def test_an_interrupt_keeps_what_was_judged(monkeypatch, tmp_path):
    real, calls = TSNetRegressor.fit, []

    def interrupted_third(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(self, *args, **kwargs)

    monkeypatch.setattr(TSNetRegressor, "fit", interrupted_third)
    with pytest.raises(KeyboardInterrupt):
        search(journal=tmp_path / "j").fit(*table())
    assert len((tmp_path / "j").read_text().splitlines()) == 1 + 2


def test_without_a_random_state_the_journal_gives_the_seed(short, its_journal):
    again = search(random_state=None, trials=3, journal=its_journal).fit(*table())
    pd.testing.assert_frame_equal(again.results_, short.results_)  # with the seconds: nothing was judged again


def test_time_ends_a_search_but_never_the_first_trial():
    found = search(seconds=1e-6).fit(*table())
    assert list(found.results_["state"]) == ["finished"] and found.predict(table()[0]).shape == (24,)
    assert found.results_.filter(like="fold_").notna().all(axis=None)


def test_a_trial_that_time_cut_short_cannot_win(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    found = search(seconds=3.5).fit(*table())  # the clock is looked at once at the start and once a fold
    assert list(found.results_["state"]) == ["finished", "out of time", "out of time"]
    assert list(found.results_.filter(like="fold_").notna().sum(axis=1)) == [3, 2, 1]
    assert TSNetRegressor(**found.best_params_).get_params() == found.best_estimator_.get_params()
    assert found.best_score_ == found.results_["score"][0]


def test_verbose_writes_a_line_a_trial(its_journal, capsys):
    search(trials=3, journal=its_journal, verbose=True).fit(*table())
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("trial 0: finished, nll ") and lines[0].endswith("(own settings)")
    assert [line.split(":")[0] for line in lines[1:3]] == ["trial 1", "trial 2"]


# --- journals that do not fit ---------------------------------------------------------------------------


def test_the_journal_of_another_search_is_refused_by_name(its_journal):
    X, y = table()
    before = its_journal.read_bytes()
    with pytest.raises(SettingError, match=r"journal\.jsonl.*different: data \(X, y or sample_weight\)\. Give"):
        search(journal=its_journal).fit(X, y + 1)
    other = {
        "estimator": TSNetRegressor(**{**TINY, "depth": 2}),
        "space": {**SMALL_SPACE, "weight_decay": (0.0, 1.0)},
        "scoring": "mse",
        "cv": 2,
        "random_state": 1,
    }
    with pytest.raises(SettingError) as refused:
        search(journal=its_journal, **other).fit(X, y)
    for part in ("depth (1 there, 2 here)", "weight_decay (", "'nll' there, 'mse' here", "cv (3 there", "seed ("):
        assert part in str(refused.value)
    assert "data" not in str(refused.value) and its_journal.read_bytes() == before


def test_lines_of_a_journal_come_back_as_they_were_and_cut_lines_are_passed_over(tmp_path):
    path = tmp_path / "j"
    fingerprint = {"seed": 7, "space": {"prior": ("ridge", table), "width": (np.int64(3),)}}
    Journal(path, fingerprint).add((0, 1), 0, FoldScore(0.1 + 0.2, 1.5), settings={"prior": table})
    whole = path.read_bytes()
    for cut in range(1, len(whole.splitlines()[1]), 5):
        path.write_bytes(whole[: -1 - cut])
        journal = Journal(path, fingerprint)
        assert journal.scores == {}
        journal.add((0, 2), 1, FoldScore(np.inf, 2.0))
        assert Journal(path, fingerprint).scores == {((0, 2), 1): (np.inf, 2.0)}
    path.write_bytes(whole)
    assert Journal(path, fingerprint).scores == {((0, 1), 0): (0.1 + 0.2, 1.5)}
    assert stored_seed(path) == 7 and stored_seed(tmp_path / "none") is None
    with pytest.raises(SettingError, match=r"different: space \(prior \(.*\)\)\."):
        Journal(path, {"seed": 7, "space": {"prior": ("ridge", search), "width": (3,)}})


def test_after_a_full_disk_the_same_journal_goes_on(tmp_path):
    """A line that was cut is never continued by the next one, which was said to be kept."""
    path = tmp_path / "j"
    journal = Journal(path, {"seed": 7})
    with path.open("ab") as file:
        file.write(b'{"choice": [0')  # all that the disk had room for
    journal.add((0, 2), 1, FoldScore(1.0, 2.0))
    journal.add((0, 3), 1, FoldScore(1.0, 2.0))
    assert set(Journal(path, {"seed": 7}).scores) == {((0, 2), 1), ((0, 3), 1)}


def test_a_file_that_is_no_journal_is_left_alone(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SettingError, match="not the journal of a search"):
        search(journal=path).fit(*table())
    assert path.read_text() == "a,b\n1,2\n"
    with pytest.raises(SettingError, match="no folder"):
        search(journal=tmp_path / "nowhere" / "j").fit(*table())


# --- tables ---------------------------------------------------------------------------------------------


def test_equal_rows_never_stand_on_both_sides():
    X = np.repeat(np.arange(10.0), 4)[:, None]
    rows = FoldedRows.of(X, X, X, np.ones(40), cv=5, seed=1)
    for fold in rows.folds:
        assert not set(X[fold.train, 0]) & set(X[fold.held_out, 0])
    assert sorted(np.concatenate([fold.held_out for fold in rows.folds])) == list(range(40))


def test_rows_that_do_not_divide_evenly_are_learned_from():
    X = np.arange(11.0)[:, None]
    folds = FoldedRows.of(X, X, X, np.ones(11), cv=3, seed=1).folds
    assert [(len(f.train), len(f.held_out)) for f in folds] == [(8, 3)] * 3
    assert len(set(np.concatenate([f.held_out for f in folds]))) == 9


def test_text_columns():
    X, y = table()
    frame = pd.DataFrame({"a": X[:, 0], "kind": ["p", "q"] * 12}, index=np.arange(24) + 100)
    found = search(trials=1, scoring="crps").fit(frame, pd.Series(y, index=frame.index))
    assert found.predict(frame).shape == (24,) and list(found.feature_names_in_) == ["a", "kind"]
    assert np.isfinite(found.best_score_)


def test_a_row_with_a_text_of_its_own_is_never_held_out():
    frame = pd.DataFrame({"a": np.arange(12.0), "kind": ["p", "q"] * 5 + ["p", "rare"]})
    x = frame[["a"]].to_numpy()
    folds = FoldedRows.of(frame, x, x, np.ones(12), cv=3, seed=0).folds
    assert all(11 in fold.train for fold in folds)
    assert sorted(np.concatenate([fold.held_out for fold in folds])) == list(range(11))
    with pytest.raises(DataError, match="fold 1: each of its rows has a text that no other fold has; lower cv"):
        FoldedRows.of(frame.assign(kind=[f"text {i}" for i in range(12)]), x, x, np.ones(12), cv=3, seed=0)


def test_a_weight_counts_like_repeated_rows_and_0_like_none():
    X, y = table()
    weight = np.array([1, 2] * 12 + [0] * 4)
    extended = np.vstack([X, 9 + X[:4]]), np.concatenate([y, y[:4]])
    weighted = search(trials=2).fit(*extended, sample_weight=weight)
    repeated = search(trials=2).fit(np.repeat(X, weight[:24], axis=0), np.repeat(y, weight[:24]))
    np.testing.assert_allclose(weighted.results_["score"], repeated.results_["score"], rtol=1e-6)


@pytest.mark.parametrize("shape", [(6,), (6, 2)])
def test_weighted_scores(shape):
    y, mean, std = np.random.default_rng(0).uniform(1, 2, (3, *shape))
    weight = np.array([1, 2, 1, 3, 1, 2])
    repeated = [np.repeat(a, weight, axis=0) for a in (y, mean, std)]
    nothing, names = np.zeros(shape), ("a", "b")[: len(shape)]
    normal = Prediction(mean, nothing, std**2, nothing, np.ones(6), target_names=names)
    assert weighted_score("crps", y, normal, weight) == pytest.approx(crps(*repeated))
    assert weighted_score("mse", y, normal, weight) == pytest.approx(mse(*repeated[:2]))
    assert weighted_score("nll", y, normal, weight) == pytest.approx(nll(*repeated), rel=1e-4)
    skewed = replace(normal, tails=Tails(np.full(len(names), 4.0), np.full(len(names), 1.5)))
    ours = -np.average(skewed.logpdf(y).reshape(6, -1).mean(axis=1), weights=weight)
    assert weighted_score("nll", y, skewed, weight) == pytest.approx(ours)
    assert weighted_score("nll", y, skewed, weight) != pytest.approx(nll(*repeated), abs=0.01)


# --- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"space": {"widht": (1, 2)}}, "no setting 'widht'; did you mean 'width'"),
        ({"space": {"width": (8, -1), "prior": ("rigde",)}}, "width must be.*not -1; prior must be 'ridge'"),
        ({"space": {"activation": "silu"}}, "activation must have a tuple of values"),
        ({"space": {"width": ()}}, "width must have a tuple of values, not empty"),
        ({"space": {}}, "space must be a dict .* not empty"),
        ({"trials": 0, "cv": 1}, "trials must be a whole number, at least 1, not 0; cv must be .* at least 2"),
        ({"seconds": 0}, "seconds must be a number above 0"),
        ({"scoring": "nlll"}, "scoring must be one of nll, crps, mse, mae, not 'nlll'"),
        ({"estimator": "tsnet"}, "estimator must be a TSNetRegressor or None, not str"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(SettingError, match=words):
        search(**arguments).fit(*table())


def test_wrong_tables_are_named():
    X, y = table()
    with pytest.raises(
        DataError, match="cv=25 folds need at least 25 different rows of X, or groups, and there are 24"
    ):
        search(cv=25).fit(X, y)
    X[5, 1] = np.inf
    with pytest.raises(DataError, match="row 5, column 'x1'"):
        search().fit(X, y)


# --- trials ---------------------------------------------------------------------------------------------


def test_the_public_space_is_valid_and_small_spaces_are_searched_completely():
    start = TSNetRegressor()
    options = Options.of(SPACE, start)
    assert all(values[0] == getattr(resolved(start), name) for name, values in options.values.items())
    small = Options.of({"width": (1, 2, 3), "weight_decay": (0.0, 0.02)}, start)
    drawn = small.draw(99, near=small.own, known={small.own}, rng=np.random.default_rng(0))
    assert len(set(drawn)) == len(drawn) == 4 * 2 - 1 and small.own not in drawn
    assert list(Options.of({"weight_decay": (0.0,), "width": (1,)}, start).values) == list(small.values)
    assert small.applied(start, (2, 1)).get_params()["details"] == {"weight_decay": 0.02}, "not its own"


def test_settings_without_effect_are_left_out_of_trials_and_refused_in_a_space():
    quick = TSNetRegressor(**fast())
    trial = Options.of({"embedding": ("none",)}, quick).applied(quick, (1,))
    assert trial.details == {"folds": 4} and resolved(trial).pilots == DEFAULTS.pilots
    both = Options.of({"embedding": ("periodic", "none"), "frequencies": (4,)}, TSNetRegressor())
    assert resolved(both.applied(TSNetRegressor(), (1, 1))).frequencies == DEFAULTS.frequencies
    assert "dropout" in default_space(quick) and "dropout" not in default_space(TSNetRegressor(**paper()))
    with pytest.raises(SettingError, match="dropout has no effect with training='joint': leave dropout out"):
        Options.of({"dropout": (0.1,)}, TSNetRegressor(**paper()))


def test_trials_change_few_settings_of_the_best():
    options = Options.of(SPACE, TSNetRegressor())
    near = tuple(len(values) - 1 for values in options.values.values())
    for choice in options.draw(50, near=near, known={near}, rng=np.random.default_rng(0)):
        assert 1 <= sum(a != b for a, b in zip(choice, near, strict=True)) <= 3


@pytest.mark.parametrize(
    "check", [check_get_params_invariance, check_no_attributes_set_in_init, check_parameters_default_constructible]
)
def test_scikit_learn_contract_of_the_constructor(check):
    check("TSNetSearch", TSNetSearch())


@pytest.mark.parametrize("kept", [0, 1, 12, 60])
def test_a_journal_whose_first_line_was_cut_begins_again(kept, tmp_path):
    """Its writer was killed before anything was judged: refused for good, the search could never go on."""
    path = tmp_path / "journal.jsonl"
    Journal(path, {"seed": 3, "data": "0123456789abcdef"})
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    assert stored_seed(path) is None
    Journal(path, {"seed": 3, "data": "0123456789abcdef"}).add((0,), 0, FoldScore(1.0, 2.0))
    assert path.read_bytes().startswith(whole)
    assert Journal(path, {"seed": 3, "data": "0123456789abcdef"}).scores == {((0,), 0): FoldScore(1.0, 2.0)}


def test_another_file_is_not_taken_for_a_journal_that_was_cut(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("my notes")
    with pytest.raises(SettingError, match="not the journal of a search"):
        Journal(path, {"seed": 3})
    assert path.read_text() == "my notes"
