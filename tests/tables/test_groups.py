"""Labels of groups, whatever their kind."""

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import DataError
from taylor_sensus.tables.groups import group_column, known_codes, learn_groups


def test_numbers_words_and_gaps():
    code, names = learn_groups(pd.Series([3.0, None, 1.0, 3.0], name="lot"), 4)
    assert names.title == "lot" and names.labels == ("1", "3")
    assert code.tolist() == [1, -1, 0, 1]
    assert known_codes([3, "1", "new", np.nan], names, 4).tolist() == [1, 0, -1, -1]


def test_other_row_labels_are_refused():
    with pytest.raises(DataError, match="other row labels"):
        learn_groups(pd.Series(["a", "b"], index=[5, 6]), 2, pd.RangeIndex(2))


def test_the_column_of_the_fit_is_found_again():
    names = learn_groups(pd.Series(["a", "b"], name="batch"), 2)[1]
    assert group_column(names, ["x", "batch"], None) == "batch"
    assert group_column(names, ["x"], None) is None
    assert group_column(None, ["x", "lot"], "lot") == "lot"
