"""Values that bring errors and units along: read, declared, and checked between fit and prediction."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from taylor_sensus.errors import DataError
from taylor_sensus.tables.quantities import check_target_units, unpacked
from tests.tiny import measurements, numbers, tiny

X, Y = numbers()


def pint():
    return pytest.importorskip("pint", reason="pint is in the extra [dev]").UnitRegistry()


def test_plain_tables_pass_untouched():
    for table in (X, pd.DataFrame(X), measurements(), [[1, 2], [3, 4]], measurements()["alloy"], None, "text"):
        assert unpacked(table, None, "X").table is table


def test_uncertainties_are_values_with_declared_errors():
    unumpy = pytest.importorskip("uncertainties.unumpy", reason="uncertainties is in the extra [dev]")
    cells = unumpy.uarray(X, 0.1)
    found = unpacked(cells, None, "X")
    np.testing.assert_array_equal(found.table, X)
    assert (found.errors == 0.1).all() and found.table.dtype == float
    frame = pd.DataFrame({"a": cells[:, 0], "b": X[:, 1], "word": "x"}, index=range(5, 45))
    found = unpacked(frame, None, "X")
    assert list(found.errors) == ["a"] and found.errors.index.equals(frame.index)
    assert found.table["a"].dtype == float and found.table["word"].eq("x").all()
    with pytest.raises(DataError, match="errors of their own, and X_err is given too"):
        unpacked(frame, 0.1, "X")
    assert unpacked(list(cells[:3, 0]), None, "y").errors.tolist() == [0.1] * 3


def test_units_become_part_of_the_name():
    ureg = pint()
    found = unpacked(X * ureg.kelvin, None, "X")
    assert list(found.table) == ["x0 [K]", "x1 [K]", "x2 [K]", "x3 [K]"]
    target = unpacked(Y * ureg.meter / ureg.second, None, "y").table
    assert target.name == "y [m/s]"
    frame = pd.DataFrame({"T": [value * ureg.mK for value in X[:, 0]], "p [kPa]": X[:, 1]})
    assert list(unpacked(frame, None, "X").table) == ["T [mK]", "p [kPa]"]
    with pytest.raises(DataError, match=r"column 'T .degC.' holds values in 'mK'"):
        unpacked(frame.rename(columns={"T": "T [degC]"}), None, "X")
    mixed = pd.DataFrame({"T": [1 * ureg.K, 2 * ureg.mK]})
    with pytest.raises(DataError, match="one column holds values in 'K' and 'mK'"):
        unpacked(mixed, None, "X")
    with pytest.raises(DataError, match="X_err has a unit of its own"):
        unpacked(X, 1 * ureg.K, "X")
    check_target_units(["y [m/s]"], target)
    with pytest.raises(DataError, match="learned in 'm/s', but comes in 'km/s'"):
        check_target_units(["y [m/s]"], target.rename("y [km/s]"))


def test_pint_with_uncertainties():
    ureg = pint()
    unumpy = pytest.importorskip("uncertainties.unumpy", reason="uncertainties is in the extra [dev]")
    found = unpacked(unumpy.uarray(Y, 0.5) * ureg.MPa, None, "y")
    assert found.table.name == "y [MPa]" and (found.errors == 0.5).all()
    np.testing.assert_array_equal(found.table, Y)


def test_another_unit_is_refused_in_python_too():
    ureg = pint()
    model = tiny().fit(X * ureg.K, Y * ureg.MPa)
    assert model.fitted_.target_names == ("y [MPa]",)
    np.testing.assert_array_equal(
        model.predict(X[:3] * ureg.K), model.predict(pd.DataFrame(X[:3], columns=["x0", "x1", "x2", "x3"]))
    )
    with pytest.raises(DataError, match=r"column 'x0 .K.' was learned in 'K', but comes in 'mK'"):
        model.predict(X[:3] * ureg.mK)
    with pytest.raises(DataError, match="learned in 'MPa', but comes in 'kPa'"):
        model.score(X * ureg.K, Y * ureg.kPa)


def test_astropy_quantities_and_tables():
    units = pytest.importorskip("astropy.units", reason="astropy is not installed")
    from astropy.table import QTable

    assert next(iter(unpacked(X * units.K, None, "X").table)) == "x0 [K]"
    table = QTable({"T": X[:, 0] * units.K, "n": X[:, 1]})
    assert list(unpacked(table, None, "X").table) == ["T [K]", "n"]


def test_xarray():
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    data = xarray.Dataset({"T": ("row", X[:, 0], {"units": "K"}), "p": ("row", X[:, 1])})
    found = unpacked(data, None, "X").table
    assert list(found) == ["T [K]", "p"] and found["p"].tolist() == X[:, 1].tolist()
    assert unpacked(data["T"], None, "y").table.name == "T [K]"


def test_sparse_matrices_are_refused_in_words():
    with pytest.raises(DataError, match=r"sparse matrix.*X\.toarray\(\)"):
        tiny().fit(sparse.csr_matrix(X), Y)


def test_masked_cells_are_missing():
    masked = np.ma.masked_array(X, mask=X > 2)
    found = unpacked(masked, None, "X").table
    assert type(found) is np.ndarray and np.isnan(found[X > 2]).all()
    with pytest.raises(DataError, match="y contains NaN"):
        tiny().fit(X, np.ma.masked_array(Y, mask=Y.max() - 0.1 < Y))


def test_fractions_and_decimals_are_numbers():
    frame = pd.DataFrame({"a": [Fraction(1, 2), Fraction(3, 4)], "b": [Decimal("0.1"), None], "c": ["x", "y"]})
    found = unpacked(frame, None, "X").table
    assert found["a"].tolist() == [0.5, 0.75] and found["b"].iloc[0] == 0.1 and np.isnan(found["b"].iloc[1])
    assert found["c"].tolist() == ["x", "y"]
