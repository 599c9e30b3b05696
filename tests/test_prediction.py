"""A prediction answers for its parts: sums, intervals, quantiles, samples, tables, single targets."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from taylor_sensus.errors import SettingError
from taylor_sensus.prediction import Prediction

RNG = np.random.default_rng(0)


def one(rows=6, **changes) -> Prediction:
    f, s, e = RNG.uniform(0.1, 2, (3, rows))
    return Prediction(**{
        "mean": RNG.normal(size=rows), "feature_variance": f, "system_variance": s, "epistemic_variance": e,
        "familiarity": RNG.uniform(size=rows), **changes,
    })  # fmt: skip


def two(rows=6, correlation=0.5) -> Prediction:
    f, s, e = RNG.uniform(0.1, 2, (3, rows, 2))
    noise = np.einsum("rt,ij->rij", np.ones((rows, 2)), np.eye(2)) * 0
    noise[:, [0, 1], [0, 1]] = f + s
    noise[:, 0, 1] = noise[:, 1, 0] = correlation * np.sqrt((f + s).prod(axis=1))
    return Prediction(RNG.normal(size=(rows, 2)), f, s, e, RNG.uniform(size=rows), ("a", "b"), noise_covariance=noise)


@pytest.mark.parametrize("p", [one(), two()])
def test_parts_add_up_as_variances(p):
    np.testing.assert_allclose(p.feature_noise**2 + p.system_noise**2 + p.epistemic**2, p.std**2, rtol=1e-12)
    np.testing.assert_allclose(p.aleatoric**2 + p.epistemic**2, p.variance, rtol=1e-12)
    assert len(p) == 6


@pytest.mark.parametrize("p", [one(), two()])
@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.999])
def test_intervals_hold_the_share_they_promise(p, coverage):
    low, high = p.interval(coverage)
    held = norm.cdf(high, p.mean, p.std) - norm.cdf(low, p.mean, p.std)
    np.testing.assert_allclose(held, coverage, rtol=1e-9)
    np.testing.assert_allclose(p.quantile(0.5 - coverage / 2), low)
    np.testing.assert_allclose(p.quantile([0.5 - coverage / 2, 0.5, 0.5 + coverage / 2])[..., 1], p.mean)


@pytest.mark.parametrize("level", [0, 1, -0.1, 90, float("nan")])
def test_impossible_levels_are_refused(level):
    with pytest.raises(SettingError, match="between 0 and 1"):
        one().interval(level)
    with pytest.raises(SettingError, match="between 0 and 1"):
        one().quantile([0.5, level])


def test_an_interval_in_percent_is_told_what_to_write():
    with pytest.raises(SettingError, match=r"for 90 % write 0\.9"):
        one().interval(90)


def test_samples_have_mean_and_std():
    p = one()
    drawn = p.sample(20_000, random_state=0)
    assert drawn.shape == (20_000, 6)
    np.testing.assert_allclose(drawn.mean(axis=0), p.mean, atol=4 * p.std.max() / np.sqrt(20_000))
    np.testing.assert_allclose(drawn.std(axis=0), p.std, rtol=0.03)
    np.testing.assert_array_equal(p.sample(3, random_state=1), p.sample(3, random_state=1))
    assert p.sample(0).shape == (0, 6)


@pytest.mark.parametrize("n", [-1, 2.5, "many"])
def test_impossible_numbers_of_samples_are_refused(n):
    with pytest.raises(SettingError, match="whole number"):
        one().sample(n)


def test_targets_are_drawn_with_their_covariance():
    p = two(rows=2)
    drawn = p.sample(40_000, random_state=0)
    for row in range(2):
        np.testing.assert_allclose(np.cov(drawn[:, row].T), p.covariance()[row], rtol=0.05, atol=0.02)


def test_targets_that_always_move_together_can_be_drawn():
    p = two(correlation=1.0)
    stuck = Prediction(
        p.mean, p.feature_variance, p.system_variance, np.zeros((6, 2)), p.familiarity, p.target_names,
        noise_covariance=p.noise_covariance,
    )  # fmt: skip
    drawn = (stuck.sample(500, random_state=0) - stuck.mean) / stuck.std
    assert np.isfinite(drawn).all()
    np.testing.assert_allclose(drawn[..., 0], drawn[..., 1], atol=1e-3)


def test_the_diagonal_of_the_covariance_is_the_variance():
    for p in (one(), two()):
        np.testing.assert_allclose(np.einsum("rtt->rt", p.covariance()).squeeze(), p.variance)


def test_one_target_of_two():
    p = two()
    b = p.target("b")
    assert b.target_names == ("b",)
    for part in ("mean", "std", "feature_noise", "system_noise", "epistemic", "aleatoric"):
        np.testing.assert_array_equal(getattr(b, part), getattr(p, part)[:, 1])
    np.testing.assert_array_equal(b.familiarity, p.familiarity)
    assert b.sample(3).shape == (3, 6)
    assert "mean" in b.to_frame()
    with pytest.raises(SettingError, match=r"there is no target 'c'; the prediction has \['a', 'b'\]"):
        p.target("c")
    np.testing.assert_array_equal(one(mean=np.arange(6.0)).target("y").mean, np.arange(6))


def test_a_prediction_as_a_table():
    labels = pd.Index(list("uvwxyz"))
    frame = one(index=labels).to_frame(0.95)
    assert list(frame.columns) == [
        "mean", "std", "feature_noise", "system_noise", "aleatoric", "epistemic", "lower_95", "upper_95", "familiarity",
    ]  # fmt: skip
    assert frame.index.equals(labels)
    short = one(index=labels).to_frame()
    assert list(short.columns) == ["mean", "std", "feature_noise", "system_noise", "epistemic", "familiarity"]
    assert list(two().to_frame().columns)[:2] == ["a_mean", "a_std"]
    with pytest.raises(SettingError, match="does not know its inputs"):
        one().to_frame(inputs=True)
    assert "familiarity" in two().to_frame()


def test_on_screen():
    assert repr(one()).startswith("Prediction of 6 rows")
    html = one(rows=12)._repr_html_()
    assert "12 rows" in html and "the first 10" in html
    assert html.count("<tr>") == 2 + 1 + 10, "two statuses, the headings, and a line for each row"
    hostile = one(index=pd.Index(["<i>"] * 6))._repr_html_()
    assert "<i>" not in hostile and "&lt;i&gt;" in hostile
