"""What is known of a model is said alike wherever people look: summary, notebook, report, app, command line."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.app.chosen_table import column_profiles
from taylor_sensus.app.pages import view_of
from taylor_sensus.app.whatif import controls_of, look, read_row
from taylor_sensus.app.workbench import Opened
from tests.tiny import tiny

EXACT = "level (4 levels in 40 rows)"


def plain(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


@pytest.fixture(scope="module")
def surfaces():
    """A tiny model of a table with gaps and a column of four levels, everywhere it is shown."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"temp": rng.normal(size=40), "level": np.resize([1.0, 2.0, 3.0, 5.0], 40), "p": rng.normal(size=40)}
    )
    y = pd.Series(2 * X["temp"] + X["level"] + 0.3 * rng.normal(size=40), name="y")
    X.loc[::5, "p"] = np.nan
    model = tiny().fit(X, y, X_err={"temp": 0.1})
    report = model.report(X, y)
    opened = Opened(model, "t.csv", report, X, None, [])
    controls = controls_of(opened)
    row, errors = read_row({"value-0": "0", "value-1": "2", "value-2": ""}, controls)
    budget = model.predict_distribution(X).noise_budget()
    return {
        "summary": str(model.summary()),
        "notebook": plain(model._repr_html_()),
        "report": plain(report.html),
        "app": plain(view_of(look(opened, row, errors, controls[0]), 0)),
        "budget": str(budget),
        "budget in a notebook": plain(budget._repr_html_()),
    }


def test_missing_cells_are_a_source_everywhere(surfaces):
    for where in ("report", "app", "budget", "budget in a notebook"):
        assert "missing cells" in surfaces[where], where
    for where in ("summary", "report"):
        assert "8 cells are missing" in surfaces[where], where


def test_columns_that_look_exact_are_named_everywhere(surfaces):
    for where, text in surfaces.items():
        assert EXACT in " ".join(text.split()), where
    facts = column_profiles(pd.DataFrame({"level": np.resize([1.0, 2.0, 3.0, 5.0], 40)}))
    assert facts[0].exact == "4 levels in 40 rows", "and before the fit, in the form of the columns"


def test_error_bars_have_one_verdict(surfaces):
    said = re.search(r"error bars += (\w+): 90 % intervals held (\d+ %) of 40", surfaces["summary"])
    assert said
    word, held = said.groups()
    assert re.search(rf"{word} error bars 90 % intervals held {held} of 40", surfaces["notebook"])
    assert f"90 % intervals held {held} of 40" in surfaces["report"]


def test_declared_errors_are_called_so_everywhere(surfaces):
    for where in ("report", "app", "budget", "budget in a notebook"):
        assert re.search(r"temp\b[^\n]*?\bdeclared", surfaces[where]), where
    assert re.search(r"declared errors += .*temp", surfaces["summary"]) or "temp: declared" in surfaces["summary"]
