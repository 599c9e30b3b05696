"""How much each column matters; and the report as people ask for it."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.errors import DataError
from tests.tiny import numbers, tiny

X, Y = numbers(60)
NAMED = pd.DataFrame(X, columns=list("abcd"))


@pytest.fixture(scope="module")
def model():
    return tiny().fit(NAMED, Y, X_err={"a": 0.3})


def test_columns_that_matter_come_first(model):
    found = model.importance(NAMED, X_err={"a": 0.3})
    assert found.table.index[0] == "a" and list(found.table) == ["explained", "noise"]
    assert found.table["explained"]["a"] > 5 * found.table["explained"]["d"] >= 0
    assert 0 <= found.table["noise"].sum() <= 1
    pd.testing.assert_frame_equal(found.table, model.importance(NAMED, X_err={"a": 0.3}).table)
    assert "a" in str(found) and "%" in str(found)
    with pytest.raises(DataError, match="at least 2"):
        model.importance(NAMED[:1])


def test_it_is_drawn(model):
    axes = model.importance(NAMED).plot()
    assert axes.get_yticklabels()[0].get_text() == "a"


@pytest.mark.slow
def test_the_report_takes_tables_or_a_path(model, tmp_path):
    by_tables = model.report(NAMED, Y, path=tmp_path / "s.html")
    assert "60" in by_tables.html
    model.report(tmp_path / "r.html", (NAMED, Y))
    assert (tmp_path / "r.html").read_text() == (tmp_path / "s.html").read_text() == by_tables.html
    assert np.isfinite(len(model.report().html))
