"""scikit-learn's own checks, on the default estimator, with no expected failures."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from taylor_sensus import TSNetRegressor


@parametrize_with_checks([TSNetRegressor()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
