"""The quick survey says what predictions say; covariances have its variances; measuring lowers them as it should."""

import numpy as np
import pandas as pd
import pytest
from hill import table

from taylor_sensus.model.gaussian_process import covariance
from taylor_sensus.suggest.acquisition import variance_reduction
from taylor_sensus.suggest.batch import PosteriorCovariance, choose
from taylor_sensus.suggest.candidate_model import CandidateModel
from taylor_sensus.suggest.choosing import plausible_noise
from taylor_sensus.suggest.covariance import SurveyedRows, epistemic_covariance, learning_kernel
from taylor_sensus.suggest.process_view import ProcessView, process_view


def surveyed(model, frame):
    """Rows with their survey, and the view of the process that was used."""
    asked = CandidateModel(model, None)
    view = process_view(model.fitted_)
    scaled = asked.scaled(asked.encoded(frame))
    process = view.rows(scaled)
    return view, SurveyedRows(scaled, asked.survey(frame, scaled, view.variance(process)), process), asked


def variance(view, scaled):
    """Of the process at rows in scaled units."""
    return view.variance(view.rows(scaled))


def candidates(kind):
    """Rows for either model."""
    if kind == "model":
        return table(150, 3)
    return pd.DataFrame(np.random.default_rng(5).uniform(-2, 2, (150, 2)), columns=pd.Index(["x0", "x1"]))


@pytest.mark.parametrize("kind", ["model", "plain"])
def test_the_survey_says_what_predictions_say(kind, request):
    model = request.getfixturevalue(kind)
    frame = candidates(kind)
    _, rows, asked = surveyed(model, frame)
    said = asked.prediction(frame)
    middle = model.fitted_.scaler.target_center[0]
    np.testing.assert_allclose(rows.estimate.mean * asked.unit + middle, said.mean, rtol=1e-3, atol=1e-3 * asked.unit)
    np.testing.assert_allclose(np.sqrt(rows.estimate.variance) * asked.unit, said.epistemic, rtol=0.01)


@pytest.mark.parametrize("kind", ["model", "plain"])
def test_covariances_have_the_variances_of_the_survey_and_are_possible(kind, request):
    model = request.getfixturevalue(kind)
    view, rows, _ = surveyed(model, candidates(kind))
    together = epistemic_covariance(view, rows, rows)
    np.testing.assert_allclose(np.diag(together), rows.estimate.variance, rtol=1e-6)
    np.testing.assert_allclose(together, together.T, atol=1e-12)
    assert np.linalg.eigvalsh(together)[0] > -1e-9 * np.trace(together)
    some = rows.take(np.array([3, 5]))
    np.testing.assert_allclose(epistemic_covariance(view, some, rows), together[[3, 5]], atol=1e-12)


def test_of_the_process_alone_measuring_lowers_the_variance_exactly(model):
    """As if the row had been among the training rows."""
    view, rows, _ = surveyed(model, table(40, 4))
    alone = view.covariance(rows.process, rows.process)
    before = PosteriorCovariance(alone, alone, np.diag(alone).copy(), np.full(40, 0.07))
    after = before.measured(3).measured(17)
    centres = np.vstack([view.centres, rows.process.seen[[3, 17]]])
    noise = np.append(model.fitted_.ensemble.process_share.process.numbers.row_noise, [0.07, 0.07])
    factor = np.linalg.cholesky(covariance(view.theta, centres, centres) + np.diag(noise))
    again = variance(ProcessView(view.theta, view.coordinates, centres, factor), rows.scaled)
    np.testing.assert_allclose(after.variance, again, atol=1e-10)
    np.testing.assert_allclose(after.own, again, atol=1e-10)
    gain = before.gain()[3] * 40  # the mean over the watched rows
    assert gain == pytest.approx((before.variance - before.measured(3).variance).sum())


def test_a_look_at_few_training_rows_never_promises_too_much(model):
    fitted = model.fitted_
    scaled = surveyed(model, table(60, 6))[1].scaled
    exact, rough = variance(process_view(fitted), scaled), variance(process_view(fitted, 12), scaled)
    assert (rough >= exact - 1e-9).all() and (rough > exact * 1.001).any()
    np.testing.assert_allclose(variance(process_view(fitted, 10_000), scaled), exact, atol=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_the_learning_kernel_has_the_size_of_the_epistemic_variance(model, share):
    view, rows, _ = surveyed(model, table(60, 6))
    kernel = learning_kernel(view, share, rows)
    together = kernel.covariance(rows, rows)
    np.testing.assert_allclose(np.diag(together), kernel.variance(rows), rtol=1e-6)
    assert kernel.variance(rows).mean() == pytest.approx(rows.estimate.variance.mean())
    assert np.linalg.eigvalsh(together)[0] > -1e-9 * np.trace(together)
    if share == 0:
        np.testing.assert_allclose(together, epistemic_covariance(view, rows, rows))


def test_noise_far_from_typical_is_limited():
    assert list(plausible_noise(np.array([0.5, 1.0, 2.0, 1e9, 0.0]), 1.0)) == [0.5, 1, 2, 4, 0.25]


def test_a_stand_in_knows_where_training_rows_are(plain):
    view = process_view(plain.fitted_)
    assert len(view.centres) == 80
    here = CandidateModel(plain, None).scaled(plain.fitted_.rows.x[:20])
    assert variance(view, here).max() < 0.5 * variance(view, here + 5.0).min()


def alone(_place: int) -> np.ndarray:
    """No row has neighbours."""
    return np.zeros(11, bool)


def clusters() -> PosteriorCovariance:
    """Two groups of rows: ten that go together and are very uncertain, and one alone that is less so."""
    together = np.full((11, 11), 0.0)
    together[:10, :10] = 1.0
    together[10, 10] = 0.6
    together[np.diag_indices(10)] = 1.0 + np.linspace(0, 1e-6, 10)
    return PosteriorCovariance(together, together, np.diag(together).copy(), np.full(11, 0.01))


def test_a_batch_does_not_ask_the_same_thing_twice():
    before = clusters()
    allowed, group = np.ones(11, bool), np.arange(11)
    batch = choose(before, variance_reduction(before, 1.0), 2, allowed, group, alone)
    assert batch.places[0] < 10 and batch.places[1] == 10
    greedy = choose(before, variance_reduction(before, 0.0), 2, allowed, group, alone)
    assert max(greedy.places) < 10, "without diversity the same group is asked twice"
    assert batch.left.variance.sum() < greedy.left.variance.sum()


def test_equal_and_forbidden_rows_are_left_out():
    before = clusters()
    group = np.append(np.zeros(10), 1)
    batch = choose(before, variance_reduction(before, 0.0), 5, np.arange(11) != 0, group, alone)
    assert len(batch.places) == 2 and 0 not in batch.places and 10 in batch.places


def test_neighbours_are_taken_last():
    def first_rows(_left: PosteriorCovariance, _chosen: list[int]) -> np.ndarray:
        return -np.arange(11.0)

    def near(place: int) -> np.ndarray:
        return np.less_equal(np.abs(np.arange(11) - place), 4)

    batch = choose(clusters(), first_rows, 5, np.ones(11, bool), np.arange(11), near)
    assert batch.places == [0, 5, 10, 1, 2]


def test_a_noisy_row_tells_less():
    before = clusters()
    noisy = before._replace(noise=np.where(np.arange(11) < 10, 100.0, 0.01))
    assert choose(noisy, variance_reduction(noisy, 1.0), 1, np.ones(11, bool), np.arange(11), alone).places == [10]
