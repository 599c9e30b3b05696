"""The toy problems: the drawn tables agree with the truth they claim to come from."""

import numpy as np
import pytest

from taylor_sensus.datasets import synthetic
from taylor_sensus.datasets.synthetic import toy_1d, toy_2d
from taylor_sensus.errors import DataError, SettingError

TOYS = pytest.mark.parametrize("toy", [toy_1d, toy_2d])


@TOYS
def test_shapes(toy):
    problem = toy(0)
    features = problem.X.shape[1]
    rows = {toy_1d: 300, toy_2d: 2500}[toy]
    assert problem.X.shape == (300, features) and problem.y.shape == (300,)
    assert problem.X_eval.shape == (rows, features)
    assert problem.y_eval.shape == problem.inside.shape == (rows,)
    assert problem.inside.dtype == bool
    assert problem.gradient(problem.X).shape == problem.feature_noise_std(problem.X).shape == (300, features)
    for function in (problem.truth, problem.system_noise_std, problem.noise_std, problem.linear_noise_std):
        assert function(problem.X).shape == (300,)


@TOYS
def test_same_seed_same_data(toy):
    first, again, other = toy(3), toy(3), toy(4)
    assert np.array_equal(first.X, again.X) and np.array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


@TOYS
def test_records_cannot_be_changed(toy):
    with pytest.raises(AttributeError):
        toy(0).y = None


@pytest.mark.parametrize(("toy", "share"), [(toy_1d, 0.71), (toy_2d, 0.51)])
def test_share_of_interpolation_matches_the_paper(toy, share):
    assert np.mean([toy(seed).inside.mean() for seed in range(200)]) == pytest.approx(share, abs=0.02)


@TOYS
def test_inside_means_inside_the_bounding_box(toy):
    problem = toy(1)
    low, high = problem.X.min(axis=0), problem.X.max(axis=0)
    for row, inside in zip(problem.X_eval, problem.inside, strict=True):
        assert inside == (np.all(row >= low) and np.all(row <= high))


def test_evaluation_grids():
    assert toy_1d(0).X_eval[[0, -1], 0].tolist() == [-7, 7]
    grid = toy_2d(0).X_eval
    assert grid.min() == -10 and grid.max() == 10
    assert len(np.unique(grid, axis=0)) == 2500
    assert np.all(np.diff(grid.reshape(50, 50, 2)[:, 0, 0]) > 0), "the first input lies on the first axis"


def test_covariances_are_symmetric_and_positive_definite():
    for cluster in (*synthetic.CLUSTERS_1D, *synthetic.CLUSTERS_2D):
        assert np.array_equal(cluster.covariance, cluster.covariance.T)
        assert np.linalg.eigvalsh(cluster.covariance).min() > 0


def test_drawn_inputs_follow_the_mixture():
    problem = toy_2d(0, n=60_000)
    shares = np.array([cluster.share for cluster in synthetic.CLUSTERS_2D]) / 300
    centre = sum(s * c.centre for s, c in zip(shares, synthetic.CLUSTERS_2D, strict=True))
    assert problem.X.mean(axis=0) == pytest.approx(centre, abs=0.08)
    spread = sum(
        s * (c.covariance + np.outer(c.centre - centre, c.centre - centre))
        for s, c in zip(shares, synthetic.CLUSTERS_2D, strict=True)
    )
    assert np.cov(problem.X.T) == pytest.approx(spread, abs=0.3)


@pytest.mark.parametrize(("n", "sizes"), [(300, [100, 150, 50]), (6, [2, 3, 1]), (100, [33, 50, 17])])
def test_n_keeps_the_proportions(n, sizes):
    assert synthetic._sizes(n, [100, 150, 50]).tolist() == sizes
    assert len(toy_2d(0, n=n).X) == n


@pytest.mark.parametrize("n", [0, 1, 2.5, True, "300"])
def test_impossible_n_is_refused(n):
    with pytest.raises(SettingError, match="whole number"):
        toy_1d(0, n=n)


@TOYS
def test_gradient_is_the_derivative_of_the_truth(toy):
    problem = toy(0)
    for column, step in enumerate(np.eye(problem.X.shape[1]) * 1e-5):
        slope = (problem.truth(problem.X + step) - problem.truth(problem.X - step)) / 2e-5
        assert problem.gradient(problem.X)[:, column] == pytest.approx(slope, abs=1e-7)


@TOYS
def test_noise_std_agrees_with_monte_carlo(toy):
    problem = toy(0)
    rng = np.random.default_rng(0)
    draws = 100_000
    for row in problem.X[:12]:
        X = np.tile(row, (draws, 1))
        moved = X + problem.feature_noise_std(X) * rng.standard_normal((draws, 1))
        y = problem.truth(moved) + problem.system_noise_std(X) * rng.standard_normal(draws)
        assert problem.noise_std(row[None]) == pytest.approx(y.std(), rel=0.015)
        assert problem.noisy_mean(row[None]) == pytest.approx(y.mean(), abs=5 * y.std() / np.sqrt(draws))


@TOYS
def test_quadrature_has_converged(toy, monkeypatch):
    problem = toy(0)
    fine = problem.noise_std(problem.X_eval)
    monkeypatch.setattr(synthetic, "QUADRATURE_NODES", 32)
    assert problem.noise_std(problem.X_eval) == pytest.approx(fine, rel=1e-10)


@TOYS
def test_targets_have_the_claimed_noise(toy):
    problem = toy(0, n=30_000)
    z = (problem.y - problem.noisy_mean(problem.X)) / problem.noise_std(problem.X)
    assert z.mean() == pytest.approx(0, abs=0.03)
    assert z.std() == pytest.approx(1, abs=0.03)


@TOYS
def test_new_measurements_have_the_claimed_noise_and_repeat(toy):
    problem = toy(0)
    X = np.repeat(problem.X_eval[::7], 200, axis=0)
    y = problem.noisy_targets(X, [0, 1])
    z = (y - problem.noisy_mean(X)) / problem.noise_std(X)
    assert z.mean() == pytest.approx(0, abs=0.03) and z.std() == pytest.approx(1, abs=0.03)
    assert np.array_equal(y, problem.noisy_targets(X, [0, 1])) and not np.array_equal(y, problem.noisy_targets(X, 2))


def test_the_1d_toy_is_its_trend_and_three_waves():
    x = np.linspace(-7, 7, 50)[:, None]
    waves = sum(np.sin(frequency * x[:, 0]) for frequency in (2, 4, 5))
    assert synthetic.truth_1d(x) == pytest.approx(synthetic.trend_1d(x) + waves)
    assert synthetic.trend_1d(np.zeros((1, 1))) == pytest.approx(1.5)


@TOYS
def test_linear_noise_is_exact_where_feature_noise_is_small(toy):
    problem = toy(0)
    X = problem.X_eval
    X = X[problem.feature_noise_std(X)[:, 0] < 0.005]
    assert len(X) > 50
    exact, linear = problem.noise_std(X), problem.linear_noise_std(X)
    assert np.max(np.abs(exact - linear)) < 1e-3
    everywhere = problem.X_eval
    assert np.max(np.abs(problem.noise_std(everywhere) - problem.linear_noise_std(everywhere))) > 0.05


def test_noise_of_the_1d_toy_grows_with_x_and_stays_finite_at_the_first_centre():
    x = np.linspace(-7, 7, 281)[:, None]
    problem = toy_1d(0)
    assert np.all(np.diff(problem.feature_noise_std(x)[:, 0]) > 0)
    assert np.all(np.diff(problem.system_noise_std(x)) > 0)
    assert problem.system_noise_std(np.array([[-1.0]])) == pytest.approx(0.25)
    assert problem.system_noise_std(x).max() < 0.5 and problem.feature_noise_std(x).max() < 0.2


def test_noise_of_the_2d_toy_is_largest_at_the_upper_right():
    problem = toy_2d(0)
    X = problem.X_eval
    upper_right = (X[:, 0] >= -1) & (X[:, 1] >= 2)
    noise = problem.noise_std(X)
    assert noise[upper_right].mean() > 1.5 * noise[~upper_right].mean()


def test_both_inputs_of_the_2d_toy_share_one_draw():
    """With a shared draw the gradients add before squaring; opposite slopes cancel."""
    problem = toy_2d(0)
    X = problem.X_eval
    feature_variance = (problem.gradient(X).sum(axis=1) * problem.feature_noise_std(X)[:, 0]) ** 2
    assert problem.linear_noise_std(X) ** 2 == pytest.approx(feature_variance + problem.system_noise_std(X) ** 2)
    assert np.array_equal(problem.feature_noise_std(X)[:, 0], problem.feature_noise_std(X)[:, 1])


def test_wrong_shape_is_named():
    with pytest.raises(DataError, match=r"\(300, 1\).*\(rows, 2\)"):
        toy_2d(0).truth(toy_1d(0).X)
    with pytest.raises(DataError, match=r"\(5,\)"):
        toy_1d(0).noise_std(np.zeros(5))
