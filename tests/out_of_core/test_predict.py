"""From files to files: the same predictions as in memory, row by row, whatever is broken off in between."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.dataset as ds
import pytest

from taylor_sensus import load, predict_dataset
from taylor_sensus.errors import DataError, SettingError, TaylorSensusError, TaylorSensusWarning
from taylor_sensus.out_of_core import predict as module
from tests.tiny import measurements, tiny

INPUTS = ["temp [degC]", "time [s]", "alloy"]


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "tiny.tsnet"
    table = measurements()
    tiny().fit(table[INPUTS], table["strength [MPa]"]).save(path)
    return path


@pytest.fixture
def survey(tmp_path):
    """Three Parquet files in a folder, 100 rows, with identifiers and the columns in another order."""
    table = measurements(100, seed=1)[["alloy", "time [s]", "temp [degC]"]].assign(id=np.arange(100) + 7)
    (tmp_path / "survey").mkdir()
    for name, rows in {"a": slice(0, 40), "b": slice(40, 41), "c": slice(41, 100)}.items():
        table[rows].to_parquet(tmp_path / "survey" / f"{name}.parquet", row_group_size=8, index=False)
    return tmp_path / "survey", table


def in_memory(model_file, table, keep=("id",)):
    model = load(model_file)
    prediction = model.predict_distribution(table[INPUTS])
    found = prediction.to_frame(0.9, prediction.conformal_interval(0.9))
    return pd.concat([table[list(keep)], found], axis=1).reset_index(drop=True)


def on_disk(folder):
    return ds.dataset(folder, partitioning="hive").to_table().to_pandas()


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_predictions_are_those_of_memory(survey, model_file, tmp_path, n_jobs):
    folder, table = survey
    done = predict_dataset(model_file, folder, tmp_path / "out", keep=["id"], part_rows=20, n_jobs=n_jobs)
    pd.testing.assert_frame_equal(on_disk(tmp_path / "out"), in_memory(model_file, table), check_exact=True)
    assert done.rows == 100 and done.parts_before == 0 and len(done.files) == 8
    assert sorted(done.files) == done.files


def test_only_open_parts_are_predicted_again(survey, model_file, tmp_path, monkeypatch):
    folder, table = survey
    predicted = []
    whole = module.predict_part

    def counted(model, plan, part, path, on_rows):
        predicted.append(path.name)
        if len(predicted) == 4:
            raise KeyboardInterrupt
        return whole(model, plan, part, path, on_rows)

    monkeypatch.setattr(module, "predict_part", counted)
    model = load(model_file)
    with pytest.raises(KeyboardInterrupt):
        predict_dataset(model, folder, tmp_path / "out", keep="id", part_rows=20)
    assert len(list((tmp_path / "out").glob("part*"))) == 3
    done = predict_dataset(model, folder, tmp_path / "out", keep="id", part_rows=20)
    assert (done.parts_before, done.rows) == (3, 100 - 16 - 16 - 8)
    assert predicted[3:] == [f"part-{n:05d}.parquet" for n in (3, 3, 4, 5, 6, 7)][: len(predicted) - 3]
    pd.testing.assert_frame_equal(on_disk(tmp_path / "out"), in_memory(model_file, table))
    assert predict_dataset(model, folder, tmp_path / "out", keep="id", part_rows=20).rows == 0


def test_other_work_does_not_go_on_in_the_same_folder(survey, model_file, tmp_path):
    folder, table = survey
    out = tmp_path / "out"
    predict_dataset(model_file, folder, out)
    with pytest.raises(DataError, match="another options"):
        predict_dataset(model_file, folder, out, coverage=0.5)
    with pytest.raises(DataError, match="another model;"):
        predict_dataset(tiny(random_state=1).fit(table[INPUTS[:2]], table["id"]), folder, out)
    table.to_parquet(folder / "d.parquet")
    with pytest.raises(DataError, match="another source files"):
        predict_dataset(model_file, folder, out)
    with pytest.raises(DataError, match="is a folder with other files"):
        predict_dataset(model_file, folder, tmp_path)
    with pytest.raises(DataError, match="is inside"):
        predict_dataset(model_file, folder, folder / "out")


def test_folders_that_tell_columns_stay(model_file, tmp_path):
    """Alloy, which the model needs, stands only in the names of folders."""
    table = measurements(30, seed=2).sort_values("alloy", ignore_index=True).assign(id=np.arange(30))
    for alloy, part in table.groupby("alloy"):
        (tmp_path / f"in/alloy={alloy}").mkdir(parents=True)
        part.drop(columns="alloy").to_parquet(tmp_path / f"in/alloy={alloy}/x.parquet", index=False)
    predict_dataset(model_file, tmp_path / "in", tmp_path / "out", keep=["id", "alloy"], part_rows=10)
    assert {p.name for p in (tmp_path / "out").iterdir() if p.is_dir()} == {"alloy=brass", "alloy=steel"}
    found = on_disk(tmp_path / "out")
    pd.testing.assert_frame_equal(found[in_memory(model_file, table).columns], in_memory(model_file, table))
    assert list(found["alloy"]) == list(table["alloy"])


def test_text_files_with_errors_and_formulas(model_file, tmp_path):
    """Units may be missing, errors stand beside or in cells, and kept cells are those of the file."""
    table = measurements(30, seed=3)
    errors = np.linspace(0, 2, 30)
    written = pd.DataFrame({"id": ["=1+1", "007", "NA"] * 10, "time": table["time [s]"], "alloy": table["alloy"]})
    written = written.assign(temp=table["temp [degC]"], temp_err=errors)
    written.loc[29, "alloy"] = ""
    (tmp_path / "in").mkdir()
    written.to_csv(tmp_path / "in" / "big.csv", index=False)
    done = predict_dataset(model_file, tmp_path / "in", tmp_path / "out", keep="id", part_rows=7, coverage=0.5)
    assert [pairing.errors for pairing in done.pairings] == ["temp_err"]
    found = pd.concat([pd.read_csv(path, keep_default_na=False) for path in done.files], ignore_index=True)
    assert list(found["id"]) == ["'=1+1", "007", "NA"] * 10
    X = table[INPUTS].astype({"alloy": object})
    X.loc[29, "alloy"] = None
    asked = load(model_file).predict_distribution(X, X_err=pd.DataFrame({"temp [degC]": errors}))
    np.testing.assert_allclose(found["feature_noise"], asked.feature_noise, rtol=1e-12)
    np.testing.assert_allclose(found["lower_50"], asked.conformal_interval(0.5).lower, rtol=1e-12)


def test_errors_are_declared_by_size_and_by_column(survey, model_file, tmp_path):
    folder, table = survey
    table.assign(wobble=0.25).to_parquet(tmp_path / "one.parquet")
    predict_dataset(model_file, tmp_path / "one.parquet", tmp_path / "out", X_err={"temp": "2%", "time": "wobble"})
    X_err = pd.DataFrame({"temp [degC]": 0.02 * table["temp [degC]"], "time [s]": 0.25})
    asked = load(model_file).predict_distribution(table[INPUTS], X_err=X_err)
    np.testing.assert_allclose(on_disk(tmp_path / "out")["feature_noise"], asked.feature_noise, rtol=1e-6)
    predict_dataset(model_file, folder, tmp_path / "exact", X_err=0, file_format="csv", interval="gaussian")
    found = pd.read_csv(tmp_path / "exact" / "part-00000.csv")
    exact = load(model_file).predict_distribution(table[INPUTS], X_err=0)
    np.testing.assert_allclose(found["upper_90"], exact.interval(0.9).upper[: len(found)], rtol=1e-6)


def test_what_is_wrong_is_told_before_the_work_or_by_row(survey, model_file, tmp_path):
    folder, table = survey
    for wrong, words in ({"n_jobs": 0}, "n_jobs"), ({"interval": "x"}, "interval"), ({"part_rows": 0}, "part_rows"):
        with pytest.raises(SettingError, match=words):
            predict_dataset(model_file, folder, tmp_path / "out", **wrong)
    with pytest.raises(DataError, match=r"lacks 1 needed column\(s\): 'idd' \(there is 'id'\)"):
        predict_dataset(model_file, folder, tmp_path / "out", keep=["idd"])
    table.drop(columns="alloy").to_parquet(tmp_path / "lacking.parquet")
    with pytest.raises(DataError, match=r"lacks .*'alloy'"):
        predict_dataset(model_file, tmp_path / "lacking.parquet", tmp_path / "out")
    table.rename(columns={"id": "mean"}).to_parquet(tmp_path / "shared.parquet")
    with pytest.raises(DataError, match="'mean' have the name of a column of the prediction"):
        predict_dataset(model_file, tmp_path / "shared.parquet", tmp_path / "out", keep="mean")
    assert not (tmp_path / "out").exists()
    table.assign(alloy=["brass"] * 60 + ["tin"] * 40).to_parquet(tmp_path / "tin.parquet", row_group_size=50)
    with pytest.warns(TaylorSensusWarning, match=r"'alloy': .*\('tin'\)"):  # a new category is predicted
        assert predict_dataset(model_file, tmp_path / "tin.parquet", tmp_path / "out", part_rows=50).rows == 100


def test_a_prior_of_ones_own_stays_in_this_process(survey, tmp_path):
    folder, table = survey
    model = tiny(prior=lambda X: np.zeros(len(X))).fit(table[INPUTS[:2]], table["id"])
    with pytest.raises(SettingError, match="n_jobs=1"):
        predict_dataset(model, folder, tmp_path / "out", n_jobs=2, part_rows=10)
    assert predict_dataset(model, folder, tmp_path / "out", part_rows=10).rows == 100


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL") or sys.platform == "win32", reason="needs signals of Unix")
def test_killed_in_the_middle(model_file, tmp_path):
    """Parts that were finished before the kill are not written again."""
    table = measurements(40_000, seed=4)
    table.to_parquet(tmp_path / "big.parquet", row_group_size=1000)
    out = tmp_path / "out"
    code = "from taylor_sensus import predict_dataset; import sys; predict_dataset(*sys.argv[1:], part_rows=1000)"
    child = subprocess.Popen([sys.executable, "-c", code, model_file, tmp_path / "big.parquet", out], env=os.environ)
    until = time.monotonic() + 60
    while len(list(out.glob("part*"))) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    child.kill()
    child.wait()
    before = {path: path.stat().st_mtime_ns for path in out.glob("part*")}
    done = predict_dataset(model_file, tmp_path / "big.parquet", out, part_rows=1000)
    assert 2 <= len(before) == done.parts_before < 40
    assert all(path.stat().st_mtime_ns == changed for path, changed in before.items())
    pd.testing.assert_frame_equal(on_disk(out), in_memory(model_file, table, keep=[]))


@pytest.mark.slow
def test_a_killed_process_is_told_and_the_rest_goes_on(survey, model_file, tmp_path, monkeypatch):
    """A process dies when it meets the file that makes it do so (a stand-in for too little memory)."""
    from taylor_sensus.out_of_core import workers

    folder, table = survey
    monkeypatch.setattr(workers, "_one", die_at_the_fifth)
    with pytest.raises(TaylorSensusError, match="finished parts are kept"):
        predict_dataset(model_file, folder, tmp_path / "out", part_rows=20, n_jobs=2, keep="id")
    monkeypatch.undo()
    predict_dataset(model_file, folder, tmp_path / "out", part_rows=20, keep="id")
    pd.testing.assert_frame_equal(on_disk(tmp_path / "out"), in_memory(model_file, table))


def die_at_the_fifth(part, path: Path) -> int:
    from taylor_sensus.out_of_core import workers

    if path.name == "part-00004.parquet":
        os._exit(9)
    return workers.predict_part(workers._Worker.model, workers._Worker.plan, part, path, lambda rows: None)
