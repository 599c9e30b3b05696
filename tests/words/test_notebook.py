"""What a notebook shows: statuses as coloured words, the same words in plain text, and every user's string inert."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.budget import BudgetParts, NoiseBudget
from taylor_sensus.prediction import Prediction
from taylor_sensus.suggest.form import Outlook, Suggestions
from taylor_sensus.words import notebook, summary
from taylor_sensus.words.budget_text import blocks_of
from taylor_sensus.words.verdicts import Status, of_prediction
from tests.colour_vision import BLINDNESS, contrast, smallest_distance
from tests.hostile import HOSTILE, INVISIBLE, read
from tests.tiny import tiny


@pytest.fixture(scope="module")
def shown():
    """All four kinds of things, from a model whose every name is hostile."""
    rng = np.random.default_rng(0)
    rows = 2 * len(HOSTILE)
    X = pd.DataFrame({name: rng.normal(size=rows) for name in HOSTILE}, index=pd.Index(HOSTILE * 2, dtype=object))
    for at in range(4):
        X[f"words {at}"] = np.array(HOSTILE[at::4] * rows, dtype=object)[rng.permutation(rows)]
    X["never"] = 1.0
    X = X.rename(columns={"never": "\u202enever<i>"})
    Y = pd.DataFrame({name: X[HOSTILE[at]] + 0.1 for at, name in enumerate([*HOSTILE[:3], "\u202eright <u>"])})
    model = tiny(kernel=False).fit(X, Y, X_err={HOSTILE[0]: 0.1, HOSTILE[39]: 0.1}, y_err=0.1)
    prediction = model.predict_distribution(X)
    form = model.suggest(X.iloc[:30], n=3, target="\u202eright <u>", random_state=0)
    form = Suggestions(form.table, form.goal, form.target, form.outlook, form.positions, form.candidates, HOSTILE[0])
    return {"model": model, "prediction": prediction, "budget": prediction.noise_budget(), "suggestions": form}


KINDS = ("model", "prediction", "budget", "suggestions")


def text_of(thing):
    return thing.summary() if isinstance(thing, TSNetRegressor) else repr(thing)


def chips(page):
    """The words on colours in the table of statuses, in order."""
    return re.findall(r"<span[^>]*>. ([\w ]+)</span></td><td[^>]*>([^<]*)</td>", page)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_strings_stay_strings(kind, shown):
    page = shown[kind]._repr_html_()
    found = read(page)
    assert found.problems == []
    assert not INVISIBLE.search(page)
    page.encode("utf-8")
    assert "<script>alert(1)</script>" in found.text, "it is shown as what it is"
    assert len(page) < 60_000


@pytest.mark.parametrize("kind", KINDS)
def test_text_has_no_codes_and_turns_no_direction(kind, shown):
    text = text_of(shown[kind])
    assert not INVISIBLE.search(text)
    assert "\r" not in text and "\t" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_text_and_page_carry_the_same_words(kind, shown):
    judged = chips(shown[kind]._repr_html_())
    assert judged, "there are statuses"
    text = text_of(shown[kind])
    for word, about in judged:
        assert re.search(rf"{re.escape(unescaped(about))}\s*(=|:) {word}\b", text), (word, about)


def unescaped(text):
    return read(text).text


def test_names_are_kept_apart_from_the_words_around_them(shown):
    for kind in KINDS:
        page = shown[kind]._repr_html_()
        assert "<bdi>" in page and "right &lt;u&gt;" in page if kind != "prediction" else "<bdi>" in page


def budget(name="x", *, identifiable=True, epistemic=1.0):
    """Two rows, one column, one target; noise of the column and of the system are 1."""
    column = np.ones((2, 1, 1))
    each = column[:, 0]
    return NoiseBudget(
        BudgetParts(
            (name,), column, column, each, np.zeros((2, 1), np.int8), each, 0 * each, epistemic * each,
            np.ones(1, bool), identifiable, (name,), None,
        )
    )  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_each_string_alone(name):
    """As target, column, label and cell, one by one, so that nothing else could hide it."""
    ones = np.ones(2)
    prediction = Prediction(ones, ones, ones, ones, familiarity=ones, target_names=(name,), index=pd.Index([name, "b"]))
    found = budget(name, identifiable=False)
    form = Suggestions(pd.DataFrame({name: [name], "n": [1.5]}), "learn", name, Outlook(2, 1, 0.5), None, 9, name)
    two = np.stack([ones, ones], axis=1)
    both = Prediction(two, two, two, two, familiarity=ones, target_names=(name, "other"))
    for thing in (prediction, both, found, form):
        page = thing._repr_html_()
        assert read(page).problems == [] and not INVISIBLE.search(page)
        page.encode("utf-8")
        repr(thing).encode("utf-8")
        assert not INVISIBLE.search(repr(thing))


# ----------------------------------------------------------------------------------------------- each of the four


def fitted_with(**changes):
    """Enough of a fitted model for its summary."""
    from tests.words.test_summary import model

    return model(**changes)


@pytest.mark.parametrize(
    ("changes", "about", "word"),
    [
        ({}, "accuracy", "good"),
        ({"held_out_explained": (0.5,)}, "accuracy", "fair"),
        ({"held_out_explained": (0.05,)}, "accuracy", "check"),
        ({}, "error bars", "good"),
        ({"held_out_coverage": {90: (0.7,)}}, "error bars", "check"),
        ({"held_out_coverage": {90: (0.8,)}, "held_out_rows": 20}, "error bars", "fair"),
        ({}, "amount of data", "good"),
        ({"distinct_rows": 30, "rows": 30}, "amount of data", "fair"),
        ({}, "warnings", "good"),
        ({"missing_cells": 4}, "warnings", "fair"),
    ],
)
def test_a_model(changes, about, word):
    fitted = fitted_with(**changes)
    assert (word, about) in chips(summary.summary_html(fitted))
    assert re.search(rf"\n    {about} += {word}: ", summary.summary_text(fitted))


def test_a_model_lists_its_warnings_and_folds_what_few_look_for():
    page = summary.summary_html(fitted_with(missing_cells=4))
    assert "<li><bdi>4 cells are missing." in page
    assert page.index("hours") > page.index("<details>") and "changed settings" in page
    assert "<li>" not in summary.summary_html(fitted_with())


def test_statuses_of_several_targets_are_told_apart():
    two = {"held_out_explained": (0.9, 0.1), "held_out_rmse": (1.0, 2.0), "held_out_coverage": {90: (0.9, 0.9)},
           "held_out_thirds": None, "declared_target_checks": None}  # fmt: skip
    fitted = SimpleNamespace(
        **{**vars(fitted_with(**two)), "target_names": ("a", "b"), "ensemble": SimpleNamespace(noise_scale=np.ones(2))}
    )
    assert [(one.about, one.word) for one in summary.statuses(fitted)[:4]] == [
        ("accuracy of a", "good"), ("error bars of a", "good"),
        ("accuracy of b", "check"), ("error bars of b", "good"),
    ]  # fmt: skip


def prediction(familiarity, epistemic=0.1):
    ones = np.ones(len(familiarity))
    return Prediction(ones, ones, ones, epistemic * ones, familiarity=np.array(familiarity))


def test_a_prediction_judges_its_rows_and_each_row():
    strange = prediction([0.9, 0.9, 0.3, 0.1], epistemic=6)
    assert [(one.about, one.word) for one in of_prediction(strange)] == [
        ("familiarity", "check"),
        ("too little data", "check"),
    ]
    page = strange._repr_html_()
    words = re.findall(r"<span[^>]*>. ([\w ]+)</span>", page)
    assert words == ["check", "check", "good", "good", "fair", "check"]
    assert "familiarity: check (2 of 4 rows below 0.5, of these 1 below 0.2)" in repr(strange)
    assert [one.word for one in of_prediction(prediction([0.9] * 4))] == ["good", "good"]


def test_a_prediction_of_no_rows():
    none = prediction([])
    assert repr(none) == "Prediction of 0 rows" and "0 rows" in none._repr_html_()


@pytest.mark.parametrize(
    ("identifiable", "epistemic", "words"),
    [(True, 0.1, ["good", "good"]), (True, 1.0, ["good", "fair"]), (False, 3.0, ["check", "check"])],
)
def test_a_budget_says_whether_its_split_holds(identifiable, epistemic, words):
    found = budget(identifiable=identifiable, epistemic=epistemic)
    (block,) = blocks_of(found)
    assert [one.word for one in block.statuses] == words
    assert chips(found._repr_html_()) == [(words[0], "split of the noise"), (words[1], "too little data")]
    assert f"too little data: {words[1]} ({100 * epistemic / (2 + epistemic):.0f} % of the variance" in str(found)


@pytest.mark.parametrize(
    ("outlook", "word"),
    [(Outlook(2, 1, 0.5), "good"), (Outlook(2, 1.999, 0.5), "fair"), (Outlook(2, 1.99, 1.95), "check")],
)
def test_suggestions_say_whether_they_are_worth_it(outlook, word):
    form = Suggestions(pd.DataFrame({"x": [1.25, np.nan]}), "learn", "y", outlook, None, 9)
    assert outlook.status.word == word
    assert f"gain: {word} (" in str(form) and chips(form._repr_html_()) == [(word, "gain")]
    assert ">1.25<" in form._repr_html_() and "nan" not in form._repr_html_().lower()


# ---------------------------------------------------------------------------------------------------- looks


@pytest.mark.parametrize("word", notebook.CHIPS)
def test_words_read_well_on_their_colours_and_have_a_sign(word):
    sign, paper, ink = notebook.CHIPS[word]
    assert contrast(paper, ink) >= 4.5
    assert f"{sign} {word}" in notebook.chip(word)


@pytest.mark.parametrize("sight", BLINDNESS)
def test_colours_can_be_told_apart(sight):
    assert smallest_distance([paper for _, paper, _ in notebook.CHIPS.values()], sight) > 18


def test_signs_differ_and_text_takes_the_colour_of_the_page():
    assert len({sign for sign, _, _ in notebook.CHIPS.values()}) == 3
    page = notebook.statuses([Status("a", "good", "<b>")])
    assert re.sub(r"<span.*?</span>", "", page).count("color:") == 0, "light or dark, only chips have colours"
    assert "&lt;b&gt;" in page


def test_very_many_names_are_cut():
    text = read(notebook.table(None, [[notebook.names([f"c{at}" for at in range(1_500)])]])).text
    assert text.endswith("c18, c19 and 1,480 more")


def test_bars_stay_inside_their_cells():
    page = notebook.table(("a",), [["x"], ["y"], ["z"]], bars=[-1, 0.25, 7], bar_at=0)
    assert re.findall(r"\.45\) ([\d.]+)%", page) == ["0.0", "25.0", "100.0"]
