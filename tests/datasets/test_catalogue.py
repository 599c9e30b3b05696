"""The public datasets: the published numbers, refused copies, and real downloads from a server on this machine.

Tests on the published files find them through TAYLOR_SENSUS_DATA. Without them they are skipped, but not under CI.
"""

import gzip
import hashlib
import http.server
import io
import json
import math
import shutil
import sys
import threading
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from taylor_sensus.datasets import catalogue as datasets
from taylor_sensus.datasets import files as dataset_files
from taylor_sensus.datasets import readers as dataset_readers
from taylor_sensus.datasets.catalogue import VARIABLE, fetch_dataset, load_dataset, split_dataset, whereabouts
from taylor_sensus.datasets.readers import read_concrete_book, read_matminer_json, read_year_prediction
from taylor_sensus.datasets.sources import DATASETS, Download, SourceFile
from taylor_sensus.datasets.splits import paper_split
from taylor_sensus.errors import DataError, MissingExtraError
from tests.published import need_dataset, need_files

SMALL = ["matbench_steels", "diabetes", "forest_fires", "concrete", "wine_red", "wine_white"]
STANDARD = [
    *("boston_housing", "energy_efficiency", "kin8nm", "naval_propulsion"),
    *("power_plant", "protein_structure", "wine_quality", "yacht"),
]


# ------------------------------------------------------------------------------------ published numbers


@pytest.mark.parametrize(
    ("name", "mean", "std", "low", "high"),
    [
        ("matbench_steels", 1420.998, 301.894, 1005.9, 2510.3),
        ("diabetes", 152.133, 77.093, 25, 346),
        ("forest_fires", 1.111, 1.398, 0, 6.996),
        ("concrete", 35.818, 16.706, 2.332, 82.599),
        ("concrete_distinct", 35.250, 16.285, 2.332, 82.599),
        ("wine_red", 0.996747, 0.001887, 0.99007, 1.00369),
        ("wine_white", -0.005995, 0.003005, math.log(0.98711), math.log(1.03898)),
        ("boston_housing", 22.5328, 9.1971, 5, 50),
        ("energy_efficiency", 22.3072, 10.0902, 6.01, 43.1),
        ("kin8nm", 0.7143, 0.2636, 0.0402, 1.4585),
        ("naval_propulsion", 0.975, 0.0147, 0.95, 1),
        ("power_plant", 454.365, 17.067, 420.26, 495.76),
        ("protein_structure", 7.7485, 6.1183, 0, 20.999),
        ("wine_quality", 5.636, 0.8076, 3, 8),
        ("yacht", 10.4954, 15.1605, 0.01, 62.42),
    ],
)
def test_target_statistics(name, mean, std, low, high):
    y = need_dataset(name).y
    digits = 6e-7 if name in ("wine_red", "wine_white") else 6e-4
    assert [y.mean(), y.std(), y.min(), y.max()] == pytest.approx([mean, std, low, high], abs=digits)


@pytest.mark.parametrize(
    ("name", "mean", "std", "high"),
    [
        ("wine_red", 5.636, 0.808, 8),
        ("wine_red_distinct", 5.623, 0.824, 8),
        ("wine_white", 5.878, 0.886, 9),
        ("wine_white_distinct", 5.855, 0.891, 9),
    ],
)
def test_quality_is_a_feature_as_need_files(name, mean, std, high):
    quality = need_dataset(name).X["quality"]
    assert [quality.mean(), quality.std(), quality.min(), quality.max()] == pytest.approx(
        [mean, std, 3, high], abs=6e-4
    )


@pytest.mark.parametrize("name", [*SMALL, *STANDARD])
def test_tables_are_as_recorded(name):
    data = need_dataset(name)
    assert data.X.shape == (data.info.rows, data.info.features)
    assert data.y.name == data.info.target
    assert data.info.target not in data.X
    assert (data.X.dtypes == "float64").all() and data.y.dtype == "float64"
    assert np.isfinite(data.X.to_numpy()).all()
    assert (data.key, data.distinct, data.official_split) == (name, False, None)


@pytest.mark.parametrize("name", [name for name in (*SMALL, *STANDARD) if name != "diabetes"])
def test_the_hash_is_that_of_the_file(name):
    data = need_dataset(name)
    assert data.sha256 == hashlib.sha256(fetch_dataset(name).read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("name", "rows"),
    list(zip(SMALL, [312, 442, 513, 1005, 1359, 3961], strict=True)),
)
def test_distinct_rows(name, rows):
    data = need_dataset(f"{name}_distinct")
    assert len(data.X) == len(data.y) == rows
    assert not data.X.assign(target=data.y).duplicated().any()
    assert list(data.X.index) == list(range(rows))
    assert data.key == f"{name}_distinct"
    pd.testing.assert_frame_equal(need_dataset(data.key).X, data.X)


def test_the_first_of_equal_rows_is_kept():
    whole, distinct = need_dataset("wine_red"), need_dataset("wine_red_distinct")
    repeated = whole.X.assign(density=whole.y).duplicated().to_numpy()
    np.testing.assert_array_equal(distinct.X.to_numpy(), whole.X.to_numpy()[~repeated])
    np.testing.assert_array_equal(distinct.y.to_numpy(), whole.y.to_numpy()[~repeated])


@pytest.mark.parametrize("name", STANDARD)
def test_what_is_downloaded_is_the_packed_file_unpacked(name):
    packed, plain = DATASETS[name].files
    content = gzip.decompress((need_files(packed.path) / packed.path).read_bytes())
    assert hashlib.sha256(content).hexdigest() == plain.sha256 == plain.download.known_hash


def test_the_wines_are_those_of_the_other_file():
    ours, theirs = need_dataset("wine_quality"), need_dataset("wine_red")
    np.testing.assert_array_equal(ours.y, theirs.X["quality"])
    np.testing.assert_array_equal(ours.X["pH"], theirs.X["pH"])


# ------------------------------------------------------------------------------------------ preparation


def test_forest_fires_by_hand():
    """Row 238 of the file: 6,5,sep,sat,92.5,121.1,674.4,8.6,25.1,27,4,0,1090.84."""
    data = need_dataset("forest_fires")
    assert list(data.X.iloc[238]) == [6, 5, 9, 6, 92.5, 121.1, 674.4, 8.6, 25.1, 27, 4, 0]
    assert data.y[238] == pytest.approx(math.log(1091.84), rel=1e-15)
    assert data.X["rain"].max() == pytest.approx(math.log(7.4), rel=1e-15)
    assert list(data.X["month"].value_counts().sort_index()) == [2, 20, 54, 9, 2, 17, 32, 184, 172, 15, 1, 9]
    assert list(data.X["day"].value_counts().sort_index()) == [74, 64, 54, 61, 85, 84, 95]


def test_wine_by_hand():
    """First rows: 7.4;0.7;0;1.9;0.076;11;34;0.9978;3.51;0.56;9.4;5 and 7;0.27;0.36;20.7;0.045;45;170;1.001;3;..."""
    red, white = need_dataset("wine_red"), need_dataset("wine_white")
    ln = math.log
    assert list(red.X.iloc[0]) == pytest.approx(
        [7.4, 0.7, 0, ln(1.9), ln(0.076), ln(11), ln(34), 3.51, ln(0.56), 9.4, 5], rel=1e-15
    )
    assert red.y[0] == 0.9978
    assert list(white.X.iloc[0]) == pytest.approx(
        [ln(7), ln(0.27), 0.36, ln(20.7), ln(0.045), ln(45), ln(170), 3, 0.45, 8.8, 6], rel=1e-15
    )
    assert white.y[0] == pytest.approx(ln(1.001), rel=1e-15)


def test_steels_by_hand():
    data = need_dataset("matbench_steels")
    assert list(data.X.columns) == ["c", "mn", "si", "cr", "ni", "mo", "v", "n", "nb", "co", "w", "al", "ti"]
    assert list(data.X.iloc[0]) == [0.02, 0.05, 0.05, 0.01, 19.7, 2.95, 0.01, 0, 0.01, 15, 0, 0.15, 1.55]
    assert data.y[0] == 2411.5


def test_diabetes_is_in_its_own_units():
    data = load_dataset("diabetes")
    assert list(data.X.iloc[0]) == [59, 2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87]
    assert data.y[0] == 151
    assert (fetch_dataset("diabetes"), whereabouts(data.info)) == (None, "with scikit-learn")


def test_another_diabetes_table_is_refused(monkeypatch):
    monkeypatch.setattr(dataset_readers, "DIABETES_SHA256", "0" * 64)
    with pytest.raises(DataError, match=r"839c546b.*expected 0000"):
        load_dataset("diabetes")


def test_what_the_record_says_of_the_columns():
    assert DATASETS["forest_fires"].preparation == "month as 1 to 12; day as 1 to 7; rain, area as ln(1 + x)"
    assert DATASETS["wine_white"].preparation.endswith("density as ln(x)")
    assert DATASETS["diabetes"].preparation == "as published"


# ---------------------------------------------------------------------------------------------- reading


def test_concrete_is_the_same_from_both_files():
    pytest.importorskip("xlrd")
    folder = need_files("concrete/concrete.csv", "concrete/Concrete_Data.xls")
    book = read_concrete_book(folder / "concrete/Concrete_Data.xls").astype("float64")
    pd.testing.assert_frame_equal(book, pd.read_csv(folder / "concrete/concrete.csv", dtype=str).astype("float64"))


def test_concrete_from_the_book_alone(tmp_path, monkeypatch):
    pytest.importorskip("xlrd")
    from_text = need_dataset("concrete")
    (tmp_path / "concrete").mkdir()
    shutil.copy(need_files("concrete/Concrete_Data.xls") / "concrete/Concrete_Data.xls", tmp_path / "concrete")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    from_book = load_dataset("concrete")
    pd.testing.assert_frame_equal(from_book.X, from_text.X)
    pd.testing.assert_series_equal(from_book.y, from_text.y)
    assert from_book.sha256 == DATASETS["concrete"].files[1].sha256


def matminer_file(table, path):
    """A table as matminer stores it."""
    content = {"columns": list(table.columns), "index": list(range(len(table))), "data": table.to_numpy().tolist()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    return path


def test_steels_from_matminers_json(tmp_path, monkeypatch):
    """Columns in another order, numbers among texts, a missing elongation: the table is the same."""
    from_text = need_dataset("matbench_steels")
    folder = need_files("matbench_steels/steel_strength.csv")
    table = pd.read_csv(folder / "matbench_steels/steel_strength.csv").astype(object)
    table = table.where(table.notna(), None)[sorted(table.columns)]
    path = matminer_file(table, tmp_path / "matbench_steels/steel_strength.json.gz")
    replaced = SourceFile(
        "matbench_steels/steel_strength.json.gz", hashlib.sha256(path.read_bytes()).hexdigest(), "matminer json"
    )
    monkeypatch.setitem(DATASETS, "matbench_steels", replace(from_text.info, files=(replaced,)))
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    from_json = load_dataset("matbench_steels")
    pd.testing.assert_frame_equal(from_json.X, from_text.X)
    pd.testing.assert_series_equal(from_json.y, from_text.y)


def test_matminers_layout(tmp_path):
    path = tmp_path / "small.json.gz"
    path.write_bytes(gzip.compress(b'{"columns": ["a", "b"], "index": [4, 7], "data": [["x", 1.5], ["y", null]]}'))
    table = read_matminer_json(path)
    assert list(table.columns) == ["a", "b"]
    assert list(table["a"]) == ["x", "y"]
    assert table["b"][0] == 1.5 and math.isnan(table["b"][1])
    for content in (b"plain", gzip.compress(b"[1, 2]"), gzip.compress(b'{"columns": []}'), gzip.compress(b"{")):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"small\.json\.gz is not a gzipped JSON table of matminer"):
            read_matminer_json(path)


EXCERPT = "year_prediction_msd/excerpt-1176-rows.csv"


def test_year_prediction_parser():
    path = need_files(EXCERPT) / EXCERPT
    table = read_year_prediction(path)
    assert table.shape == (1176, 91)
    assert (table.dtypes == "float32").all()
    assert table["year"].between(1922, 2011).all()
    np.testing.assert_allclose(table.to_numpy(), np.loadtxt(path, delimiter=","), rtol=1e-7)
    assert table["timbre_average_1"][0] == np.float32(49.94357)


def test_year_prediction_refuses_another_layout(tmp_path):
    (tmp_path / "other.txt").write_text("2001,1.0,2.0\n")
    with pytest.raises(DataError, match=r"other\.txt is not in the layout"):
        read_year_prediction(tmp_path / "other.txt")


def test_the_excerpt_is_never_taken_for_the_dataset(monkeypatch, tmp_path):
    (tmp_path / "year_prediction_msd").mkdir()
    (tmp_path / EXCERPT).write_text("2001" + ",1.0" * 90 + "\n")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(DataError, match=r"lacks year_prediction_msd/YearPredictionMSD\.txt"):
        load_dataset("year_prediction_msd")


def test_official_split(songs):
    data = load_dataset("year_prediction_msd")
    assert data.X.shape == (40, 90) and (data.X.dtypes == "float32").all()
    assert list(data.official_split.train) == list(range(30))
    assert list(data.official_split.test) == list(range(30, 40))
    parts = split_dataset(data, 0)
    assert list(parts.X_test.index) == list(range(30, 40))
    assert sorted([*parts.X_train.index, *parts.X_val.index]) == list(range(30))
    assert (len(parts.y_train), len(parts.y_val)) == (22, 8)
    assert parts.y_test.between(1922, 2011).all()


def test_official_split_of_distinct_rows(songs):
    data = load_dataset("year_prediction_msd_distinct")
    assert len(data.y) == 38
    assert list(data.official_split.train) == list(range(29))
    assert list(data.official_split.test) == list(range(29, 38))


def test_official_numbers():
    info = DATASETS["year_prediction_msd"]
    assert (info.rows, info.official_train_rows, info.rows - info.official_train_rows) == (515_345, 463_715, 51_630)


# -------------------------------------------------------------------------------------------- splitting


@pytest.mark.parametrize("name", ["diabetes", "forest_fires", "concrete"])
def test_other_targets_keep_their_unit(name):
    data = need_dataset(name)
    parts, rows = split_dataset(data, 3), paper_split(len(data.y), 3)
    for X, y, part in (
        (parts.X_train, parts.y_train, rows.train),
        (parts.X_val, parts.y_val, rows.validation),
        (parts.X_test, parts.y_test, rows.test),
    ):
        pd.testing.assert_frame_equal(X, data.X.iloc[part])
        pd.testing.assert_series_equal(y, data.y.iloc[part])
    assert (parts.target_mean, parts.target_std) == (0, 1)


@pytest.mark.parametrize("name", ["wine_red", "wine_white", "wine_white_distinct"])
def test_wine_is_standardised_by_its_training_part_alone(name):
    data = need_dataset(name)
    parts, rows = split_dataset(data, 1), paper_split(len(data.y), 1)
    assert parts.y_train.mean() == pytest.approx(0, abs=1e-10)
    assert parts.y_train.std(ddof=0) == pytest.approx(1, abs=1e-12)
    assert abs(parts.y_test.mean()) > 1e-4 and abs(parts.y_test.std(ddof=0) - 1) > 1e-4
    for y, part in ((parts.y_train, rows.train), (parts.y_val, rows.validation), (parts.y_test, rows.test)):
        np.testing.assert_allclose(y * parts.target_std + parts.target_mean, data.y.iloc[part], rtol=1e-12, atol=1e-15)
    pd.testing.assert_frame_equal(parts.X_test, data.X.iloc[rows.test])


# ----------------------------------------------------------------------------------------- refused files


FIRES = "forest_fires/forestfires.csv"


def test_a_damaged_copy_is_refused(tmp_path, monkeypatch):
    content = bytearray((need_files(FIRES) / FIRES).read_bytes())
    content[5000] ^= 1
    (tmp_path / "forest_fires").mkdir()
    (tmp_path / FIRES).write_bytes(content)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(DataError) as caught:
        load_dataset("forest_fires")
    message = str(caught.value)
    for part in (FIRES, str(tmp_path), hashlib.sha256(content).hexdigest(), DATASETS["forest_fires"].files[0].sha256):
        assert part in message
    assert f"unset {VARIABLE}" in message


@pytest.mark.parametrize("name", [name for name in DATASETS if name != "diabetes"])
def test_a_missing_file_is_named(name, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    info = DATASETS[name]
    assert whereabouts(info) == "missing"
    with pytest.raises(DataError) as caught:
        load_dataset(name)
    for file in info.files:
        assert file.path in str(caught.value) and file.sha256 in str(caught.value)
    for part in (str(tmp_path), info.source, f"unset {VARIABLE} to download it"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("wine_rad", "did you mean 'wine_red'"),
        ("Concrete", "did you mean 'concrete'"),
        ("steels", "did you mean 'matbench_steels'"),
        ("wine_wite_distinct", "did you mean 'wine_white'"),
        ("zzz", "there are 'matbench_steels', 'diabetes'"),
    ],
)
def test_unknown_names(name, hint):
    with pytest.raises(DataError, match=f"there is no dataset '{name}'; {hint}"):
        load_dataset(name)


def test_a_table_of_the_wrong_size_is_refused(monkeypatch):
    monkeypatch.setitem(DATASETS, "diabetes", replace(DATASETS["diabetes"], rows=443))
    with pytest.raises(DataError, match="442 rows and 11 columns; expected 443 rows and 11 columns"):
        load_dataset("diabetes")


# -------------------------------------------------------------------------------------------- downloads


class Server:
    """Files of a folder over HTTP on this machine, and the paths that were asked for."""

    def __init__(self, folder):
        asked = self.asked = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                super().do_GET()

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()

    def stop(self):
        if self.thread.is_alive():
            self.http.shutdown()
            self.http.server_close()
            self.thread.join()


FIRE_ROWS = (
    b"X,Y,month,day,FFMC,DMC,DC,ISI,temp,RH,wind,rain,area\n"
    b"1,2,jan,mon,80,1,2,3,10,50,2,0,0\n"
    b"1,2,feb,tue,81,1,2,3,10,50,2,0,1\n"
    b"1,2,dec,sun,82,1,2,3,10,50,2,1,2\n"
)


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def zipped(**members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(f"{name}.csv", member)
    return content.getvalue()


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty data folder of the user, and no offline folder."""
    pytest.importorskip("pooch")
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(dataset_files, "user_data_dir", lambda _: str(tmp_path / "home"))
    return tmp_path / "home/datasets"


@pytest.fixture
def server(tmp_path):
    (tmp_path / "public").mkdir()
    server = Server(tmp_path / "public")
    server.folder = tmp_path / "public"
    yield server
    server.stop()


@pytest.fixture
def small_fires(home, server, monkeypatch):
    """Forest fires with three rows, to be had from the server."""
    content = zipped(forestfires=FIRE_ROWS)
    (server.folder / "forest+fires.zip").write_bytes(content)
    return offer_fires(monkeypatch, f"{server.url}/forest+fires.zip", known_hash=sha256(content))


def offer_fires(monkeypatch, url, *, known_hash):
    file = SourceFile(FIRES, sha256(FIRE_ROWS), "commas", Download(url, known_hash))
    monkeypatch.setitem(DATASETS, "forest_fires", replace(DATASETS["forest_fires"], rows=3, files=(file,)))


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_download_unpack_and_keep(small_fires, home, server, capfd, monkeypatch):
    import pooch

    log = io.StringIO()
    monkeypatch.setattr(pooch.get_logger().handlers[0], "stream", log)
    assert whereabouts(DATASETS["forest_fires"]) == "to be downloaded"
    data = load_dataset("forest_fires")
    assert list(data.X["month"]) == [1, 2, 12]
    assert list(data.y) == pytest.approx([0, math.log(2), math.log(3)])
    assert files_in(home) == [FIRES]
    assert whereabouts(data.info) == "on disk"
    server.stop()
    again = load_dataset("forest_fires")
    pd.testing.assert_frame_equal(again.X, data.X)
    assert fetch_dataset("forest_fires_distinct") == home / FIRES
    assert server.asked == ["/forest+fires.zip"]
    assert (*capfd.readouterr(), log.getvalue()) == ("", "", ""), "outside a terminal a download is silent"


def test_one_archive_serves_both_wines(home, server, monkeypatch):
    header = DATASETS["wine_red"].log
    columns = [*header, "fixed acidity", "volatile acidity", "citric acid", "density", "pH", "alcohol", "quality"]
    rows = {
        colour: ";".join(columns) + "\n" + ";".join([value] * 12) + "\n"
        for colour, value in (("red", "1"), ("white", "2"))
    }
    content = zipped(**{f"winequality-{colour}": text for colour, text in rows.items()})
    (server.folder / "wine.zip").write_bytes(content)
    download = Download(f"{server.url}/wine.zip", "md5:" + hashlib.md5(content).hexdigest())
    for colour, text in rows.items():
        info = DATASETS[f"wine_{colour}"]
        file = replace(info.files[0], sha256=sha256(text.encode()), download=download)
        monkeypatch.setitem(DATASETS, info.name, replace(info, rows=1, files=(file,)))
    assert load_dataset("wine_red").y[0] == 1
    assert load_dataset("wine_white").y[0] == pytest.approx(math.log(2))
    assert server.asked == ["/wine.zip"]
    assert files_in(home) == ["wine_quality/winequality-red.csv", "wine_quality/winequality-white.csv"]


def test_a_file_that_is_no_archive(home, server, monkeypatch):
    steels = DATASETS["matbench_steels"]
    columns = ["formula", "yield strength", "tensile strength", "elongation", *reversed(steels.order)]
    rows = [["Fe1", 1000, 1100, None, *range(13)], ["Fe1", 2000, 2100, 7, *range(13)]]
    path = matminer_file(pd.DataFrame(rows, columns=columns, dtype=object), server.folder / "13354691")
    content = path.read_bytes()
    file = replace(
        steels.files[1],
        sha256=sha256(content),
        download=Download(f"{server.url}/13354691", sha256(content), zipped=False),
    )
    monkeypatch.setitem(DATASETS, steels.name, replace(steels, rows=2, files=(steels.files[0], file)))
    data = load_dataset(steels.name)
    assert list(data.X.columns) == list(steels.order)
    assert list(data.X.iloc[0]) == list(range(12, -1, -1))
    assert list(data.y) == [1000, 2000]
    assert files_in(home) == ["matbench_steels/steel_strength.json.gz"]
    load_dataset(steels.name)
    assert server.asked == ["/13354691"]


def test_another_archive_is_refused(small_fires, home, server, monkeypatch):
    offer_fires(monkeypatch, f"{server.url}/forest+fires.zip", known_hash="0" * 64)
    with pytest.raises(DataError, match=r"forest\+fires\.zip does not send the published file.*expected 0000"):
        load_dataset("forest_fires")
    assert files_in(home) == []


def test_another_file_in_a_known_archive_is_refused(home, server, monkeypatch):
    content = zipped(forestfires=FIRE_ROWS.replace(b"80", b"79"))
    (server.folder / "fires.zip").write_bytes(content)
    offer_fires(monkeypatch, f"{server.url}/fires.zip", known_hash=sha256(content))
    with pytest.raises(DataError, match=rf"forestfires\.csv in the downloaded archive.*{sha256(FIRE_ROWS)}"):
        load_dataset("forest_fires")
    assert files_in(home) == []


@pytest.mark.parametrize(
    ("content", "problem"), [(zipped(other=b"x"), "does not hold"), (b"no zip", "damaged archive")]
)
def test_archives_without_the_file(home, server, monkeypatch, content, problem):
    (server.folder / "fires.zip").write_bytes(content)
    offer_fires(monkeypatch, f"{server.url}/fires.zip", known_hash=sha256(content))
    with pytest.raises(DataError, match=problem):
        load_dataset("forest_fires")
    assert files_in(home) == []


def test_a_damaged_cached_file_is_downloaded_again(small_fires, home, server):
    load_dataset("forest_fires")
    (home / FIRES).write_bytes(FIRE_ROWS + b"1")
    assert len(load_dataset("forest_fires").y) == 3
    assert len(server.asked) == 2


def test_no_network(small_fires, home, server):
    server.stop()
    with pytest.raises(DataError, match=rf"cannot download {server.url}.*\(ConnectionError\).*{VARIABLE}") as caught:
        load_dataset("forest_fires")
    assert "\n" not in str(caught.value)
    assert files_in(home) == []


def test_a_page_that_is_gone(small_fires, server):
    (server.folder / "forest+fires.zip").unlink()
    with pytest.raises(DataError, match="the server says 404 File not found"):
        load_dataset("forest_fires")


def test_a_folder_that_cannot_be_written(small_fires, home):
    home.parent.write_text("a file where the folder should be")
    with pytest.raises(DataError, match=rf"cannot save forest_fires\.zip in .*{VARIABLE}"):
        load_dataset("forest_fires")


def test_ctrl_c_leaves_nothing_behind(small_fires, home, monkeypatch):
    import pooch

    def interrupted(self, url, output_file, pooch):
        Path(output_file).write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pooch.HTTPDownloader, "__call__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            load_dataset("forest_fires")
    assert files_in(home) == []
    assert len(load_dataset("forest_fires").y) == 3


def test_nothing_is_downloaded_when_the_folder_is_named(small_fires, server, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "elsewhere"))
    with pytest.raises(DataError, match="elsewhere"):
        load_dataset("forest_fires")
    assert server.asked == []


def test_a_bar_in_a_terminal(small_fires, monkeypatch, capfd):
    monkeypatch.setenv("FORCE_COLOR", "1")
    load_dataset("forest_fires")
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "forest_fires.zip" in shown.err and "100%" in shown.err


def test_missing_extras_name_the_command(small_fires, monkeypatch):
    command = r'pip install "taylor-sensus\[datasets\]"'
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtraError, match=f"pooch: {command}; or set {VARIABLE}"):
        load_dataset("forest_fires")
    monkeypatch.setitem(sys.modules, "xlrd", None)
    with pytest.raises(MissingExtraError, match=f"xlrd: {command}"):
        read_concrete_book("Concrete_Data.xls")


def test_importing_the_module_needs_no_extra():
    """Extras are for downloads alone, so their absence is met then and not before."""
    for module in (datasets, dataset_files, dataset_readers):
        assert not {"pooch", "xlrd", "requests"} & set(vars(module))


# ---------------------------------------------------------------------------------------------- records


@pytest.mark.parametrize("info", DATASETS.values(), ids=DATASETS)
def test_records_are_complete(info):
    assert DATASETS[info.name] is info
    for text in (info.title, info.unit, info.licence, info.citation):
        assert text.strip()
    assert info.source.startswith("https://") and info.doi.startswith("10.")
    for file in info.files:
        assert len(bytes.fromhex(file.sha256)) == 32
    assert not info.files or any(file.download and file.download.url.startswith("https://") for file in info.files)
