"""Predictions over Dask: lazily, with the right columns, and the model at each worker once."""

import sys
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.distributed import predict
from taylor_sensus.errors import DataError, MissingExtraError, SettingError
from tests.tiny import measurements, tiny

dask = pytest.importorskip("dask", reason="needs the extra [distributed]")
dd = pytest.importorskip("dask.dataframe", reason="needs the extra [distributed]")

INPUTS = ["temp [degC]", "time [s]", "alloy"]


@pytest.fixture(scope="module")
def model():
    table = measurements()
    return tiny().fit(table[INPUTS], table["strength [MPa]"])


@pytest.fixture(scope="module")
def table():
    """Other order of columns, one without its unit, labels that do not count, identifiers, declared errors."""
    rows = measurements(50, seed=1)[["alloy", "time [s]", "temp [degC]"]].rename(columns={"temp [degC]": "temp"})
    return rows.assign(id=np.arange(50), wobble=np.linspace(0.1, 1, 50)).set_index(pd.Index(range(100, 150), name="at"))


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


def in_memory(model, table, coverage=0.9, **asked):
    prediction = model.predict_distribution(table.rename(columns={"temp": "temp [degC]"})[INPUTS], **asked)
    return prediction.to_frame(coverage, prediction.conformal_interval(coverage))


def test_lazy_with_the_columns_of_a_prediction(model, table):
    answers = predict(model, dd.from_pandas(table, npartitions=3), keep=["id"])
    found = answers.compute()
    wanted = pd.concat([table[["id"]], in_memory(model, table)], axis=1)
    pd.testing.assert_frame_equal(found, wanted)
    assert answers.npartitions == 3 and answers.known_divisions
    pd.testing.assert_frame_equal(answers._meta, wanted[:0])
    assert answers["std"].mean().compute() == pytest.approx(wanted["std"].mean())


def test_nothing_is_predicted_before_it_is_asked_for(model, table, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("predicted too early")

    monkeypatch.setattr(type(model), "predict_distribution", refused)
    answers = predict(model, dd.from_pandas(table, npartitions=2))
    with pytest.raises(AssertionError, match="too early"):
        answers.compute()


def test_intervals_and_declared_errors(model, table):
    ddf = dd.from_pandas(table, npartitions=2)
    found = predict(model, ddf, coverage=0.5, interval="gaussian", X_err={"temp": "wobble", "time": 0.5}).compute()
    asked = model.predict_distribution(
        table.rename(columns={"temp": "temp [degC]"})[INPUTS],
        X_err={"temp [degC]": table["wobble"].to_numpy(), "time [s]": 0.5},
    )
    pd.testing.assert_frame_equal(found, asked.to_frame(0.5))
    exact = predict(model, ddf, X_err=0).compute()
    assert (exact["feature_noise"] <= found["feature_noise"]).all()


def test_several_targets(table):
    both = tiny().fit(table[["temp", "time [s]"]], table[["id", "wobble"]])
    answers = predict(both, dd.from_pandas(table, npartitions=2))
    found = answers.compute()
    assert list(found.columns) == list(answers.columns) and {"id_mean", "wobble_std"} <= set(found.columns)
    assert found.shape == (50, 17)


def test_partitions_without_rows(model, table):
    ddf = dd.from_pandas(table, npartitions=3)
    answers = predict(model, ddf[ddf["id"] < 5], keep="id")
    assert len(answers.compute()) == 5
    assert (answers.compute().dtypes == answers.dtypes).all()


def test_what_is_wrong_is_told_at_once(model, table):
    ddf = dd.from_pandas(table, npartitions=2)
    with pytest.raises(DataError, match=r"lacks .*'alloy'"):
        predict(model, ddf.drop(columns="alloy"))
    with pytest.raises(DataError, match=r"'idd' .there is 'id'"):
        predict(model, ddf, keep=["idd"])
    with pytest.raises(DataError, match="'mean' have the name"):
        predict(model, ddf.rename(columns={"id": "mean"}), keep="mean")
    with pytest.raises(DataError, match="'wobbel'"):
        predict(model, ddf, X_err={"temp": "wobbel"})
    with pytest.raises(DataError, match="Dask data frame, not DataFrame"):
        predict(model, table)
    with pytest.raises(SettingError, match="interval"):
        predict(model, ddf, interval="normal")


def test_without_the_extra_its_name_is_told(model, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(MissingExtraError, match=r"\[distributed\]"):
        predict(model, table)


@pytest.mark.slow
def test_a_worker_gets_and_reads_the_model_once(model, table):
    """Two processes, eight partitions asked for three times: two models are read in all."""
    distributed = pytest.importorskip("distributed", reason="needs the extra [distributed]")

    def count_reading() -> None:
        module: Any = import_module("taylor_sensus.distributed.predict")
        read, module.readings = module.model_from_bytes, 0

        def counted(content):
            module.readings += 1
            return read(content)

        module.model_from_bytes = counted

    def readings() -> int:
        module: Any = import_module("taylor_sensus.distributed.predict")
        return module.readings

    ddf = dd.from_pandas(table, npartitions=8)
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        client.run(count_reading)
        answers = predict(model, ddf, keep="id")
        for scheduled in (answers, answers["std"].sum()):
            client.compute(scheduled).result()
        found = client.compute(answers).result()
        counts = client.run(readings)
    pd.testing.assert_frame_equal(found, pd.concat([table[["id"]], in_memory(model, table)], axis=1))
    assert sum(counts.values()) <= 2 and max(counts.values()) == 1
