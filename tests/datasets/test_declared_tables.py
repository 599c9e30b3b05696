"""Tables whose authors declare errors of their inputs: the published numbers, their errors, and what is written."""

import hashlib

import numpy as np
import pytest

from taylor_sensus import read_measurements
from taylor_sensus.datasets.astronomy import distance_modulus, read_accelerations
from taylor_sensus.datasets.catalogue import DATASETS, VARIABLE, fetch_dataset, load_dataset
from taylor_sensus.errors import DataError
from tests.published import need_dataset

DECLARED = ["supernovae_jla", "sparc_rar", "photoz_boss_0", "photoz_boss_1", "photoz_boss_3"]


@pytest.mark.parametrize("name", DECLARED)
def test_tables_are_as_recorded(name):
    data = need_dataset(name)
    assert data.X.shape == (data.info.rows, data.info.features) == data.X_err.shape
    assert list(data.X_err) == list(data.X) and (data.X_err > 0).all(axis=None)
    assert (data.X.dtypes == "float64").all() and (data.X_err.dtypes == "float64").all()
    assert np.isfinite(data.X).all(axis=None) and np.isfinite(data.y).all() and data.y.name == data.info.target
    assert data.sha256 == hashlib.sha256(fetch_dataset(name).read_bytes()).hexdigest()
    assert "with declared errors of " in data.info.preparation


@pytest.mark.parametrize(
    ("name", "mean", "std", "low", "high"),
    [
        ("supernovae_jla", -19.1547, 0.2882, -19.9998, -17.9272),
        ("sparc_rar", -10.0687, 0.5199, -11.39, -8.15),
        ("photoz_boss_0", 0.4461, 0.1691, -0.0028, 0.9984),
        ("photoz_boss_1", 0.5158, 0.1326, -0.0034, 0.9451),
        ("photoz_boss_3", 0.5286, 0.1202, -0.0018, 0.9927),
    ],
)
def test_target_statistics(name, mean, std, low, high):
    y = need_dataset(name).y
    assert [y.mean(), y.std(), y.min(), y.max()] == pytest.approx([mean, std, low, high], abs=6e-5)


def test_supernovae_by_hand():
    """First row: 03D1au, mb 23.001698 ± 0.088031, x1 1.273191 ± 0.150058, color -0.012353 ± 0.030011."""
    data = need_dataset("supernovae_jla")
    assert list(data.X.iloc[0]) == [1.273191, -0.012353] and list(data.X_err.iloc[0]) == [0.150058, 0.030011]
    assert (
        data.y[0] == pytest.approx(23.001698 - distance_modulus(np.array([0.503084]))[0]) and data.y_err[0] == 0.088031
    )
    errors = data.covariances[0]
    assert np.diag(errors) == pytest.approx([0.150058**2, 0.030011**2, 0.088031**2])
    assert [errors[0, 1], errors[0, 2], errors[1, 2]] == [-0.00003, 0.00079, 0.00044]
    np.testing.assert_array_equal(data.covariances, np.swapaxes(data.covariances, 1, 2))


def test_supernovae_least_squares_is_the_attenuated_one():
    """0.116 and 2.44, where 0.141 and 3.10 are published with errors taken into account."""
    data = need_dataset("supernovae_jla")
    _, alpha, beta = np.linalg.lstsq(np.c_[np.ones(len(data.X)), data.X], data.y, rcond=None)[0]
    assert (-alpha, beta) == pytest.approx((0.116, 2.44), abs=0.005)


def test_distance_of_a_near_and_a_far_one():
    """Near by the Hubble law; at redshift 1 an independent quadrature."""
    from scipy.integrate import quad

    near, far = distance_modulus(np.array([0.001, 1.0]))
    assert near == pytest.approx(5 * np.log10(0.001 * 299792.458 / 70) + 25, abs=2e-3)
    along = quad(lambda z: 1 / np.sqrt(0.295 * (1 + z) ** 3 + 0.705), 0, 1)[0]
    assert far == pytest.approx(5 * np.log10(2 * along * 299792.458 / 70) + 25, abs=1e-6)


def test_the_three_files_of_galaxies_share_no_row():
    rows = [tuple(row) for n in (0, 1, 3) for row in need_dataset(f"photoz_boss_{n}").table.to_numpy()]
    assert len(set(rows)) == len(rows) == 18_000


def test_typical_errors():
    x_err = need_dataset("photoz_boss_3").X_err.median()
    assert x_err.to_numpy() == pytest.approx([1.494, 0.431, 0.144, 0.078, 0.070], abs=6e-4)
    assert need_dataset("photoz_boss_3").y_err is None
    data = need_dataset("sparc_rar")
    assert (list(data.X.iloc[0]), list(data.X_err.iloc[0]), data.y[0], data.y_err[0]) == (
        [-11.23],
        [0.04],
        -10.68,
        0.08,
    )


def test_what_is_written_is_read_back_with_its_errors():
    data = need_dataset("supernovae_jla")
    X, y, X_err, y_err = read_measurements(data.table).split("absolute_magnitude")
    np.testing.assert_allclose(X_err, data.covariances, rtol=1e-12)
    np.testing.assert_array_equal(y_err, data.y_err)
    assert list(X) == ["x1", "color"] and (y == data.y).all()


def test_rows_kept_of_equal_ones_keep_their_errors():
    whole, distinct = need_dataset("sparc_rar"), need_dataset("sparc_rar_distinct")
    kept = ~whole.table.duplicated().to_numpy()
    np.testing.assert_array_equal(distinct.table, whole.table[kept])


def test_another_layout_is_refused(tmp_path):
    (tmp_path / "other.mrt").write_text("Title: x\n------\n1 2 3\n")
    with pytest.raises(DataError, match=r"other\.mrt is not in the layout of SPARC: rows of 4"):
        read_accelerations(tmp_path / "other.mrt")


def test_a_damaged_copy_is_refused(tmp_path, monkeypatch):
    (tmp_path / "sparc_rar").mkdir()
    (tmp_path / "sparc_rar/RAR.mrt").write_text("-----\n1 2 3 4\n")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(DataError, match="is not the published file"):
        load_dataset("sparc_rar")


def test_tables_without_declared_errors_have_none():
    data = load_dataset("diabetes")
    assert (data.X_err, data.y_err, data.covariances) == (None, None, None)
    assert list(data.table) == [*data.X, "progression"] and not DATASETS["diabetes"].errors
