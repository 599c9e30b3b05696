"""A file whose content is not a model is refused, whatever is wrong with it; nothing is guessed."""

import time
import tracemalloc
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from taylor_sensus import load
from taylor_sensus.errors import ModelFileError
from taylor_sensus.model.gaussian_process import covariance
from taylor_sensus.settings import NAMES
from taylor_sensus.storage import model_io
from taylor_sensus.storage.checks import ARRAYS
from taylor_sensus.storage.container import ModelFile, read_model_file, write_model_file
from tests.tiny import numbers, tiny

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> ModelFile:
    """A model file of the present format."""
    path = tmp_path_factory.mktemp("model") / "m.tsnet"
    load(GOLDEN / "v0_1_plain.tsnet").save(path)
    return read_model_file(path)


def without(mapping, *names):
    return {key: value for key, value in mapping.items() if key not in names}


def refused(path, header, arrays, says=None):
    write_model_file(path, header, arrays)
    with pytest.raises(ModelFileError, match=says):
        load(path)


WRONG_HEADERS = {
    "another kind": (lambda h: {**h, "kind": "Forest"}, "Forest"),
    "no columns": (lambda h: without(h, "columns"), "columns"),
    "unknown setting": (lambda h: {**h, "settings": {**h["settings"], "wings": 2}}, "wings"),
    "bad setting": (lambda h: {**h, "settings": {**h["settings"], "loss": "lost"}}, "loss must be one of"),
    "giant network": (lambda h: {**h, "settings": {**h["settings"], "width": 10**9}}, "shape"),
    "giant ensemble": (lambda h: {**h, "settings": {**h["settings"], "members": 10**12}}, "at most"),
    "a summary of nothing": (lambda h: {**h, "fit_summary": {}}, "held_out_explained is missing"),
    "no history": (lambda h: {**h, "history": "a,b\n1,2"}, "history"),
    "empty": (lambda h: {}, "kind"),
    "columns that are one text": (lambda h: {**h, "columns": "abc"}, "columns must be a list"),
    "a name that is a number": (lambda h: {**h, "columns": [[1, None], *h["columns"][1:]]}, "name and its categories"),
    "two columns of one name": (lambda h: {**h, "columns": [h["columns"][0]] * 3}, "names of their own"),
    "categories that are one text": (lambda h: {**h, "columns": [["a", "bc"]]}, "different texts"),
    "no column at all": (lambda h: {**h, "columns": []}, "hold something"),
    "half a character": (lambda h: {**h, "targets": ["\ud800"]}, "names of their own"),
    "a target that is a number": (lambda h: {**h, "targets": [3]}, "targets"),
    "a truth that is a text": (lambda h: {**h, "one_dimensional": "no"}, "true or false"),
    "parts that are one text": (lambda h: {**h, "parts": "rows"}, "parts must be a list"),
    "unknown words": (lambda h: {**h, "wings": 2}, "wings"),
    "endless layers": (lambda h: {**h, "settings": {**h["settings"], "depth": 100}}, "does not hold"),
    "endless variances": (lambda h: {**h, "settings": {**h["settings"], "noise_range": 1e300}}, "noise_range"),
}


@pytest.mark.parametrize("case", WRONG_HEADERS)
def test_a_wrong_header_is_refused(case, content, tmp_path):
    change, says = WRONG_HEADERS[case]
    refused(tmp_path / "wrong.tsnet", change(content.header), content.arrays, says)


WRONG_ARRAYS = {
    "shape": ({"trend.slope": np.zeros((7, 1))}, r"trend.slope has the shape \(7, 1\)"),
    "no shape": ({"held_out.rows": np.array(3)}, "held_out.rows"),
    "shapes that do not fit together": ({"rows.weight": np.ones(3)}, "rows.weight"),
    "kind of number": ({"noise_scale": np.array([1])}, "floats"),
    "places that are not whole": ({"held_out.rows": np.zeros(40)}, "whole numbers"),
    "not finite": ({"noise_scale": np.array([np.nan])}, "not between"),
    "infinite row": ({"rows.weight": np.full(40, np.inf)}, "not between"),
    "not finite in a network": ({"blocks.system_noise_net.level.value": np.full((2, 1), np.nan, np.float32)}, "finite"),
    "no noise": ({"noise_scale": np.array([0.0])}, "noise_scale holds numbers that are not between"),
    "no scale": ({"scaler.target_scale": np.array([-1.0])}, "not between"),
    "a share above all": ({"process.share": np.array([1.5])}, "between 0 and 1"),
    "a range upside down": ({"imputer.low": np.full(3, 9.0), "imputer.high": np.full(3, -9.0)}, "above its largest"),
    "a covariance of nothing": ({"imputer.covariance": np.ones((3, 3)) - 2 * np.eye(3)}, "not that of any rows"),
    "a row beyond the table": ({"held_out.rows": np.full(40, 99)}, "beyond its table"),
    "half precision": ({"prior_variance": np.ones(1, np.float16)}, "floats"),
    "weights of double precision": ({"blocks.system_noise_net.level.value": np.zeros((2, 1))}, "single precision"),
    "giant weights": ({"blocks.system_noise_net.level.value": np.full((2, 1), 1e30, np.float32)}, "beyond all weights"),
    "a network that nobody asks": ({"blocks.more": np.zeros(3, np.float32)}, "'blocks.more'"),
    "impossible process": ({"process.theta": np.full(10, 1e3)}, "not between"),
    "no deviation": ({"held_out.system_variance": np.zeros((40, 1))}, "unseen row"),
    "unknown array": ({"wings.left": np.zeros(2)}, "'wings.left'"),
    "array of a part that the header denies": ({"repeats.gain": np.zeros(1)}, "'repeats.gain'"),
    "a prior that is a function": ({"rows.prior_mean": np.zeros((40, 1))}, "'rows.prior_mean'"),
}


@pytest.mark.parametrize("case", WRONG_ARRAYS)
def test_a_wrong_array_is_refused(case, content, tmp_path):
    change, says = WRONG_ARRAYS[case]
    refused(tmp_path / "wrong.tsnet", content.header, {**content.arrays, **change}, says)


def stretched(content, start, rows, axis=0):
    """The same parts with many more rows."""
    grown = {n: a for n, a in content.arrays.items() if n.startswith(start) and a.ndim > axis}
    count = max(a.shape[axis] for a in grown.values())
    return {name: np.take(a, np.arange(rows) % count, axis=axis) for name, a in grown.items() if a.shape[axis] == count}


@pytest.mark.parametrize(
    ("start", "rows", "axis", "says"),
    [("process.", 30_000, 0, "30000 centres"), ("densities.", 100_000, 1, None)],
)
def test_a_small_file_never_becomes_a_large_task(start, rows, axis, says, content, tmp_path):
    """A megabyte of equal rows once took minutes and gigabytes."""
    path = tmp_path / "large.tsnet"
    write_model_file(path, content.header, {**content.arrays, **stretched(content, start, rows, axis)})
    before, started = tracemalloc.get_traced_memory()[0], time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=says) if says else nullcontext():
            load(path)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most - before < 100e6
    assert time.process_time() - started < 2


def many_centres(content, count, noise):
    arrays = {**without(content.arrays, "process.witnesses"), **stretched(content, "process.", count)}
    return {**arrays, "process.row_noise": np.full(count, noise)}


def test_loading_many_centres_makes_no_large_matrix(content, tmp_path):
    """4,096 centres once took four seconds. Noise beyond all rounding tells that prediction can make it."""
    path = tmp_path / "many.tsnet"
    write_model_file(path, content.header, many_centres(content, 2100, 0.1))
    model = load(path)
    share = model.fitted_.ensemble.process_share
    assert share is not None and not {"whitening", "factor"} & set(vars(share.process))
    assert np.isfinite(model.predict(content.arrays["rows.x"][:3], return_std=True)).all()


def test_many_centres_that_are_no_process_are_refused_in_bounded_time(content, tmp_path):
    """A ratio, because machines differ: to what a process of as many centres costs at least."""
    arrays = many_centres(content, 2100, 1e-30)
    centres = arrays["process.centres"]
    started = time.process_time()
    np.linalg.cholesky(covariance(arrays["process.theta"], centres, centres) + np.eye(len(centres)))
    least = time.process_time() - started
    started = time.process_time()
    refused(tmp_path / "many.tsnet", content.header, arrays)
    assert time.process_time() - started < 2 * least  # about a fifth on a quiet machine


def test_a_file_that_names_very_many_arrays_is_refused(content, tmp_path):
    path = tmp_path / "many.tsnet"
    write_model_file(path, content.header, {f"blocks.{i}": np.zeros(0) for i in range(10_001)})
    with pytest.raises(ModelFileError, match="names 10,001 arrays"):
        load(path)


def test_a_process_too_steep_is_refused(content, tmp_path):
    """The squares of its slopes would be infinite."""
    steep = {"process.coefficients": np.full_like(content.arrays["process.coefficients"], 1e20)}
    refused(tmp_path / "wrong.tsnet", content.header, {**content.arrays, **steep}, "not that of any rows")


def test_repeats_of_another_precision_are_refused(tmp_path):
    """Rows are compared by their bytes."""
    load(GOLDEN / "v0_1_repeats.tsnet").save(tmp_path / "m.tsnet")
    content = read_model_file(tmp_path / "m.tsnet")
    arrays = {**content.arrays, "repeats.keys": content.arrays["repeats.keys"].astype(float)}
    refused(tmp_path / "wrong.tsnet", content.header, arrays, "single precision")


def test_memory_that_does_not_suffice_is_told_in_words(content, tmp_path, monkeypatch):
    def starved(*_):
        raise MemoryError

    write_model_file(tmp_path / "m.tsnet", content.header, content.arrays)
    monkeypatch.setattr(model_io, "check_arrays", starved)
    with pytest.raises(ModelFileError, match="more memory than there is"):
        load(tmp_path / "m.tsnet")


def test_every_array_of_the_file_is_needed(content, tmp_path):
    for name in content.arrays:
        if name == "process.witnesses":  # files of version 0.2's first days do not have it: all centres are witnesses
            continue
        refused(tmp_path / "wrong.tsnet", content.header, without(content.arrays, name))


def test_no_setting_takes_todays_default(content, tmp_path):
    for name in NAMES:
        header = {**content.header, "settings": without(content.header["settings"], name)}
        refused(tmp_path / "wrong.tsnet", header, content.arrays, name)


def test_a_model_without_its_rows_predicts_the_same(content, tmp_path):
    model = load(GOLDEN / "v0_1_plain.tsnet")
    rows = content.arrays["rows.x"]
    model.save(tmp_path / "m.tsnet", keep_rows=False)
    back = load(tmp_path / "m.tsnet")
    assert back.fitted_.rows is None
    np.testing.assert_array_equal(back.predict(rows), model.predict(rows))


def test_every_rule_about_arrays_is_used(tmp_path):
    """By a golden model, one with groups or covariances: a rule for an array that is never written claims too much."""
    written = set()
    X, y = numbers()
    grouped = tiny(positive=True).fit(X, y - y.min(), groups=np.arange(len(X)) // 4)
    covariances = np.broadcast_to(0.1 * np.eye(X.shape[1] + 1) + 0.02, (len(X), X.shape[1] + 1, X.shape[1] + 1)).copy()
    together = tiny().fit(X, y, X_err=covariances, y_limit=np.arange(len(X)) % 5 == 0)
    for model in [*map(load, GOLDEN.glob("*.tsnet")), grouped, together]:
        model.save(tmp_path / "m.tsnet")
        written |= set(read_model_file(tmp_path / "m.tsnet").arrays)
    assert set(ARRAYS) == {name for name in written if name in ARRAYS}
