"""scikit-learn's own checks with no expected failures: all on the tiny model, those that fit anyhow on the default."""

import pytest
from sklearn.utils.estimator_checks import (
    check_dict_unchanged,
    check_fit2d_1sample,
    check_fit_idempotent,
    check_parameters_default_constructible,
    check_readonly_memmap_input,
    parametrize_with_checks,
)

from taylor_sensus import TSNetRegressor
from tests.tiny import tiny


@parametrize_with_checks([tiny()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.parametrize(
    "check",
    [
        check_parameters_default_constructible,
        check_dict_unchanged,
        check_fit2d_1sample,
        check_fit_idempotent,
        check_readonly_memmap_input,
    ],
)
def test_the_default_estimator_keeps_it_too(check):
    check("TSNetRegressor", TSNetRegressor())
