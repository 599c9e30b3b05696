"""`fit --groups`, and `predict` with the same column."""

import pandas as pd

import taylor_sensus
from tests.cli.test_commands import measurements, run, succeeded
from tests.tiny import OPTIONS


def test_groups_of_a_column(tmp_path):
    batch = [f"b{row % 12}" for row in range(60)]
    table = measurements().drop(columns="strain").assign(batch=batch)
    table["strength"] += 10 * (table["batch"].str[1:].astype(int) % 3)
    table.to_csv(tmp_path / "steel.csv", index=False)
    model, out = tmp_path / "m.tsnet", tmp_path / "out.csv"
    told = succeeded(
        "fit", tmp_path / "steel.csv", "--target", "strength", "--groups", "batch", "-o", model, "-q", *OPTIONS
    )
    assert "12 of batch; folds go by them" in told.stdout
    fitted = taylor_sensus.load(model)
    assert [column.name for column in fitted.fitted_.columns] == ["hours", "alloy"]
    succeeded("predict", model, tmp_path / "steel.csv", "-o", out)
    known = fitted.predict(table[["hours", "alloy"]], groups=table["batch"])
    pd.testing.assert_series_equal(pd.read_csv(out)["mean"], pd.Series(known, name="mean"))
    table.drop(columns="batch").to_csv(tmp_path / "new.csv", index=False)
    succeeded("predict", model, tmp_path / "new.csv", "-o", out)
    unknown = fitted.predict(table[["hours", "alloy"]])
    pd.testing.assert_series_equal(pd.read_csv(out)["mean"], pd.Series(unknown, name="mean"))
    assert run("predict", model, tmp_path / "new.csv", "--groups", "lot", "-o", out).exit_code == 1
