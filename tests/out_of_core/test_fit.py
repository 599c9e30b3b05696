"""Fits from files: exact statistics, batches from all files, folds that stay apart, and the model that comes of it."""

import itertools

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load
from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.fit.processes import Processes
from taylor_sensus.fit.stream import Pool, StreamedRows, dealt, hashed
from taylor_sensus.model.imputation import learn_imputer
from taylor_sensus.model.scaling import learn_scaling
from taylor_sensus.out_of_core import fit as module
from taylor_sensus.out_of_core.fit import open_files_to_fit
from taylor_sensus.out_of_core.source import open_source
from taylor_sensus.out_of_core.survey import survey
from taylor_sensus.records import Names
from taylor_sensus.tables.columns import Column
from tests.tiny import measurements, numbers, tiny

pytestmark = pytest.mark.slow


def table(rows=200, seed=0):
    """Strength of alloys, of which one is rare; a gap in places, and numbers of rows."""
    found = measurements(rows, seed).assign(row=np.arange(rows))
    found.loc[rows // 2, "alloy"] = "tin"
    found.loc[::9, "time [s]"] = np.nan
    return found


@pytest.fixture
def files(tmp_path):
    for name, rows in {"a": slice(0, 70), "b": slice(70, 200)}.items():
        table()[rows].to_parquet(tmp_path / f"{name}.parquet", row_group_size=16, index=False)
    return tmp_path


def test_statistics_are_exact_and_the_sample_is_of_the_table(files):
    found = survey(open_source(files, 1), ["temp [degC]", "time [s]", "alloy"], ["strength [MPa]"], 40, seed=0)
    whole = table()
    assert found.rows == 200 and found.missing_cells == whole["time [s]"].isna().sum()
    for name, numbers_found in found.numbers.items():
        assert numbers_found.mean == pytest.approx(whole[name].mean(), rel=1e-12)
        assert numbers_found.std == pytest.approx(whole[name].std(ddof=0), rel=1e-12)
        assert (numbers_found.low, numbers_found.high) == (whole[name].min(), whole[name].max())
    assert 40 <= len(found.sample) <= 43 and set(found.sample["alloy"]) == {"brass", "steel", "tin"}
    pd.testing.assert_frame_equal(found.sample, whole.iloc[found.places][list(found.sample)].reset_index(drop=True))


def test_pools_hold_rows_of_all_files(files):
    """Half of the rows at a time, from at least eight row groups; in the end, every row."""
    found = open_files_to_fit(files, "row", ["strength [MPa]", "alloy"], seed=0)
    names = Names(tuple(Column(name, None) for name in found.features), ("row",), True)
    rows, rng = found.rows(names, pool=100), np.random.default_rng(0)
    assert sum(rows.shards) == 200 and len(rows.shards) == 8 and min(rows.shards) > 0

    def drawn(rows):
        return np.concatenate([rows.draw(shard, rng).y[:, 0] for shard in range(8)])

    seen = [drawn(rows) for _ in range(30)]
    assert all(30 < len(pool) <= 170 and len(set(pool)) == len(pool) for pool in seen)
    assert np.mean([len(pool) for pool in seen]) == pytest.approx(100, rel=0.1)
    assert {int(row) for pool in seen for row in pool} == set(range(200))
    assert sorted(drawn(found.rows(names))) == list(range(200))
    some = found.rows(names).draw(0, rng)
    np.testing.assert_array_equal(some.x, table()[found.features].iloc[some.y[:, 0].astype(int)])


def test_more_processes_have_more_shards(files):
    found = open_files_to_fit(files, "row", ["strength [MPa]", "alloy"], seed=0)
    names = Names(tuple(Column(name, None) for name in found.features), ("row",), True)
    many = found.rows(names, processes=20)
    assert len(many.shards) == 32 and sum(many.shards) == 200 and many.shards[-1] == 0
    assert len(many.draw(31, np.random.default_rng(0)).x) == 0


def test_a_member_never_gets_a_row_that_is_held_out_from_it():
    """Nor a copy of it, with gaps and in another precision."""
    x, y = numbers(400)
    x = np.round(x, 1)
    x[::7, 2] = np.nan
    scaler = learn_scaling(x, y[:, None], np.ones(400))

    class Rows:
        rows, is_whole, shards = 400, False, (300, 0, 100)

        def scaler(self, sample):
            return sample

        def pool_rows(self, shard):
            return (100, 0, 20)[shard]

        def draw(self, shard, rng):
            pick = rng.permutation(np.arange(*((0, 300), (0, 0), (300, 400))[shard]))[: self.pool_rows(shard)]
            return Pool(x[pick], np.arange(400.0)[pick, None])

    stream = StreamedRows(Rows(), scaler._replace(target_center=np.zeros(1), target_scale=np.ones(1)),
                          learn_imputer(scaler.features(x)), folds=4, salt=5)  # fmt: skip
    held = stream.held(x.astype(np.float32), members=6)
    assert [set(a) & set(b) for a, b in itertools.pairwise(held[:4])] == [set()] * 3
    assert sorted(np.concatenate(held[:4])) == list(range(400)) and set(held[4]) != set(held[0])
    for member in range(6):
        window = stream.feed(member, seed=1, batch_size=8, steps=80)
        fed = np.concatenate([window(2 * k, 2, None).y[:2].ravel() for k in range(40)]).astype(int)
        assert not set(fed) & set(held[member]) and len(set(fed)) > 200
        assert np.mean(fed < 300) == pytest.approx(0.75, abs=0.01)
        again = stream.feed(member, seed=1, batch_size=8, steps=80)
        np.testing.assert_array_equal(again(66, 2, None).y, window(66, 2, None).y)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_processes_share_the_batches_of_one(count):
    """Each row of a batch is in one process; what fills a process up has weight zero. A shard is empty."""
    x, y = numbers(400)
    scaler = learn_scaling(x, y[:, None], np.ones(400))
    edges = [0, 150, 150, 240, 400]

    class Rows:
        rows, is_whole, shards = 400, True, tuple(map(int, np.diff(edges)))

        def scaler(self, sample):
            return sample

        def pool_rows(self, shard):
            return self.shards[shard]

        def draw(self, shard, rng):
            rows = slice(edges[shard], edges[shard + 1])
            return Pool(x[rows], np.arange(400.0)[rows, None])

    def stream(processes):
        return StreamedRows(Rows(), scaler._replace(target_center=np.zeros(1), target_scale=np.ones(1)),
                            learn_imputer(scaler.features(x)), 4, 5, processes)  # fmt: skip

    def one_of(rank, count):
        found = Processes()
        found.rank, found.count = rank, count
        return found

    alone = stream(None).feed(1, seed=1, batch_size=16, steps=50)
    assert alone.room == 16
    feeds = [stream(one_of(rank, count)).feed(1, 1, 16, 50) for rank in range(count)]
    assert len({feed.room for feed in feeds}) == 1
    for first in (0, 20, 45):
        whole, parts = alone(first, 5, None), [feed(first, 5, None) for feed in feeds]
        for step in range(5):
            assert whole.weight[step].sum() == 16
            told = np.concatenate([part.y[step][part.weight[step] == 1] for part in parts])
            assert sorted(told[:, 0]) == sorted(whole.y[step][:, 0])


def test_every_step_has_a_full_batch_and_shards_get_their_share():
    counts = dealt((100, 0, 33, 67), 7, 3000)
    assert (counts.sum(axis=1) == 7).all() and counts.min() == 0 and not counts[:, 1].any()
    np.testing.assert_allclose(counts.mean(axis=0), [3.5, 0, 1.155, 2.345], atol=0.01)
    assert (dealt((5, 5, 5, 5), 128, 10) == 32).all()


def test_equal_inputs_have_equal_hashes_and_folds_are_even():
    x = np.random.default_rng(0).normal(size=(4000, 3)).astype(np.float32)
    found = hashed(x, 1)
    assert (hashed(x[::-1].astype(np.float64), 1)[::-1] == found).all()
    assert len(set(found)) == 4000 and (found != hashed(x, 2)).all()
    assert np.abs(np.bincount((found % 8).astype(int)) - 500).max() < 100


@pytest.fixture(scope="module")
def streamed(tmp_path_factory):
    """A tiny model of 1,500 rows, with a sample of 60."""
    folder = tmp_path_factory.mktemp("stream")
    X, y = numbers(1500)
    pd.DataFrame(X, columns=list("abcd")).assign(y=y, id=np.arange(1500)).to_parquet(
        folder / "x.parquet", row_group_size=200
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SAMPLE", 60)
        patch.setattr(module, "POOL", 500)
        model = tiny(epochs=10).fit_dataset(folder, "y", drop="id")
        again = tiny(epochs=10, n_jobs=2).fit_dataset(folder, "y", drop="id")
    return model, again


def test_a_model_of_all_rows(streamed, tmp_path):
    model, again = streamed
    X, y = numbers(400, seed=1)
    X = pd.DataFrame(X, columns=list("abcd"))
    small = tiny(epochs=10).fit(X[:60], numbers(1500)[1][:60])
    error = np.sqrt(np.mean((model.predict(X) - y) ** 2))
    assert error < 0.7 * np.sqrt(np.mean((small.predict(X) - y) ** 2))
    assert (again.predict(X) == model.predict(X)).all()
    low, high = model.predict_interval(X)
    assert 0.75 < np.mean((low <= y) & (y <= high)) <= 1
    model.save(tmp_path / "m.tsnet")
    assert (load(tmp_path / "m.tsnet").predict(X) == model.predict(X)).all()
    summary, held = model.fitted_.fit_summary, model.fitted_.held_out
    assert summary.rows == 1500 and model.fitted_.rows is None and "1500" in model.summary().replace(",", "")
    np.testing.assert_allclose(held.y[:, 0], numbers(1500)[1][held.rows])
    with pytest.raises(DataError, match="does not hold its training rows"):
        model.update(pd.DataFrame())


def test_few_rows_are_fitted_as_in_memory(files):
    whole = table()
    model = tiny().fit_dataset(files, "strength [MPa]", drop=["row"])
    X = whole[["temp [degC]", "time [s]", "alloy"]]
    assert (model.predict(X) == tiny().fit(X, whole["strength [MPa]"]).predict(X)).all()


def test_what_cannot_be_fitted_is_refused(files, tmp_path):
    with pytest.raises(SettingError, match="staged"):
        tiny(prior=lambda X: np.zeros(len(X))).fit_dataset(files, "row")
    with pytest.raises(DataError, match="no target column 'rwo'; did you mean 'row'"):
        tiny().fit_dataset(files, "rwo")
    with pytest.raises(DataError, match=r"'time \[s\]' has 23 cells without a number"):
        tiny().fit_dataset(files, "time [s]")
    with pytest.raises(DataError, match="'alloy' holds no numbers"):
        tiny().fit_dataset(files, ["row", "alloy"])
    (tmp_path / "text").mkdir()
    table().to_csv(tmp_path / "text" / "a.csv", index=False)
    with pytest.raises(DataError, match="write them as Parquet"):
        tiny().fit_dataset(tmp_path / "text", "row")
