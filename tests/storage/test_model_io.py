"""A file whose content is not a model is refused, whatever is wrong with it; nothing is guessed."""

from pathlib import Path

import numpy as np
import pytest

from taylor_sensus import load
from taylor_sensus.errors import ModelFileError
from taylor_sensus.settings import NAMES
from taylor_sensus.storage.checks import ARRAYS
from taylor_sensus.storage.container import ModelFile, read_model_file, write_model_file

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
    "giant network": (lambda h: {**h, "settings": {**h["settings"], "width": 10**9}}, "weights"),
    "giant ensemble": (lambda h: {**h, "settings": {**h["settings"], "members": 10**12}}, "weights"),
    "a summary of nothing": (lambda h: {**h, "fit_summary": {}}, "held_out_explained is missing"),
    "no history": (lambda h: {**h, "history": "a,b\n1,2"}, "history"),
    "empty": (lambda h: {}, "kind"),
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
    "not finite": ({"noise_scale": np.array([np.nan])}, "finite"),
    "infinite row": ({"rows.weight": np.full(40, np.inf)}, "finite"),
    "not finite in a network": ({"blocks.system_noise_net.level.value": np.full((2, 1), np.nan, np.float32)}, "finite"),
    "no noise": ({"noise_scale": np.array([0.0])}, "noise_scale is not positive"),
    "no scale": ({"scaler.target_scale": np.array([-1.0])}, "positive"),
    "impossible process": ({"process.theta": np.full(10, 1e3)}, "impossible"),
    "no deviation": ({"held_out.system_variance": np.zeros((40, 1))}, "unseen row"),
    "unknown array": ({"wings.left": np.zeros(2)}, "'wings.left'"),
    "array of a part that the header denies": ({"repeats.gain": np.zeros(1)}, "'repeats.gain'"),
    "a prior that is a function": ({"rows.prior_mean": np.zeros((40, 1))}, "'rows.prior_mean'"),
}


@pytest.mark.parametrize("case", WRONG_ARRAYS)
def test_a_wrong_array_is_refused(case, content, tmp_path):
    change, says = WRONG_ARRAYS[case]
    refused(tmp_path / "wrong.tsnet", content.header, {**content.arrays, **change}, says)


def test_every_array_of_the_file_is_needed(content, tmp_path):
    for name in content.arrays:
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
    """By one of the golden models: a rule for an array that is never written would be a claim that nothing executes."""
    written = set()
    for path in GOLDEN.glob("*.tsnet"):
        load(path).save(tmp_path / "m.tsnet")
        written |= set(read_model_file(tmp_path / "m.tsnet").arrays)
    missing = {name for name in set(ARRAYS) - written if not name.startswith(("tails.", "trees.", "law"))}
    assert missing <= {"left_out_scores"}
