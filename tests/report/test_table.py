"""The table of a report: by name, as a pair, or kept in the model; its hash depends on the cells alone."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.errors import DataError
from taylor_sensus.report.table import kept_rows, numbers_of, read_data, table_hash


def test_columns_are_found_by_name_whatever_their_order(model, table):
    read = read_data(table.assign(other=1)[["other", *table.columns[::-1]]], model.fitted_)
    assert list(read.features) == ["temp [degC]", "time [s]", "alloy"]
    assert read.y[:, 0] == pytest.approx(table["strength [MPa]"].to_numpy())
    assert list(read.labels) == list(table.index)


def test_a_table_without_targets_and_rows_without_a_measurement(model, table):
    assert read_data(table.drop(columns="strength [MPa]"), model.fitted_).y is None
    gaps = table["strength [MPa]"].where(np.arange(len(table)) > 2)
    assert np.isnan(read_data((table.iloc[:, :3], gaps), model.fitted_).y[:, 0]).sum() == 3


def test_declared_errors_in_any_form(model, table):
    for given in ({"temp [degC]": 2.0}, table[["temp [degC]"]] * 0 + 2.0):
        read = read_data((table.iloc[:, :3], table["strength [MPa]"], given), model.fitted_)
        assert list(read.errors) == ["temp [degC]"] and (read.errors == 2).all(axis=None)
        assert len(read.take(slice(3, 7)).errors) == 4
    read = read_data((table.iloc[:, :3], None, [2.0, 0.1, 0]), model.fitted_)
    assert read.y is None and read.errors.iloc[5].tolist() == [2, 0.1, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda t: t.drop(columns="alloy"), r"lacks 1 column\(s\) that the model needs: \['alloy'\]"),
        (lambda t: t.iloc[:0], "no rows"),
        (lambda t: t.to_numpy(), "table with named columns"),
        (lambda t: (t.iloc[:, :3], t["strength [MPa]"][:5]), "120 rows and y has 5"),
        (lambda t: (t,), "not 1 things"),
        (lambda t: (np.ones((3, 2)), np.ones(3)), r"the model needs \(rows, 3\)"),
        (lambda t: (t.iloc[:, :3], ["?"] * len(t)), "not numbers"),
    ],
)
def test_wrong_tables_are_named(model, table, given, message):
    with pytest.raises(DataError, match=message):
        read_data(given(table), model.fitted_)


def test_kept_rows_are_the_training_rows(model, table):
    kept = kept_rows(model.fitted_)
    given = read_data(table, model.fitted_)
    pd.testing.assert_frame_equal(kept.features, given.features.reset_index(drop=True), check_dtype=False)
    assert kept.y == pytest.approx(given.y)
    assert numbers_of(kept.features, model.fitted_) == pytest.approx(numbers_of(given.features, model.fitted_))


def test_the_hash_depends_on_cells_names_and_order_only(model, table):
    def found(data):
        return table_hash(read_data(data, model.fitted_))

    whole = found(table)
    assert len(whole) == 64
    assert found(table.reset_index(drop=True)) == whole, "labels are not data"
    assert found((table.iloc[:, :3], table["strength [MPa]"])) == whole
    changed = table.copy()
    changed.iloc[7, 0] += 1e-9
    words = table.copy()
    words.iloc[7, 2] = "brass" if words.iloc[7, 2] == "steel" else "steel"
    others = [changed, words, table.iloc[::-1], table.drop(columns="strength [MPa]"), table.iloc[:-1]]
    assert len({whole, *map(found, others)}) == 6
