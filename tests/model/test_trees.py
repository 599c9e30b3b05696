"""Trees as arrays: the same answers as scikit-learn's, and none from a forged file."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from taylor_sensus import load
from taylor_sensus.errors import ModelFileError
from taylor_sensus.fit.records import Table
from taylor_sensus.fit.step_share import best_step_share
from taylor_sensus.fit.trees import _grow, _joined
from taylor_sensus.model.trees import check_trees
from tests.tiny import tiny


def steps(rows: int = 200) -> Table:
    """A table with two targets that step."""
    x = np.random.default_rng(0).standard_normal((rows, 3)).astype(np.float32)
    y = np.stack([np.sign(x[:, 0]), x[:, 1] > 1], axis=1).astype(np.float32)
    return Table(x, y, np.ones(rows, np.float32), 0 * y, np.ones(2, np.float32), rows, np.arange(rows))


def forest(table: Table, count: int = 4):
    """Some trees."""
    return _joined([_grow(table, np.arange(150), seed) for seed in range(count)], table)


def test_a_row_goes_down_as_in_scikit_learn():
    table = steps()
    table.x[:, 2] = np.round(table.x[:, 2])  # ties
    found = forest(table).means(table.x, 2)
    for member in range(2):
        said = []
        for seed in (2 * member, 2 * member + 1):
            one = ExtraTreesRegressor(1, max_features=0.5, bootstrap=False).fit(table.x[:150], table.y[:150])
            tree = one.estimators_[0].set_params(random_state=seed, max_features=0.5)
            said.append(tree.fit(table.x[:150], table.y[:150], sample_weight=table.weight[:150]).predict(table.x))
        np.testing.assert_allclose(found[:, member], np.mean(said, axis=0), atol=1e-6)


def test_a_row_has_the_same_answer_in_any_company():
    table = steps()
    trees = forest(table)
    alone = np.concatenate([trees.means(table.x[k : k + 1], 2) for k in range(20)])
    np.testing.assert_array_equal(alone, trees.means(table.x, 2)[:20])


@pytest.mark.parametrize("fault", ["back", "beyond", "feature", "root", "share"])
def test_what_is_no_forest_is_refused(fault: str):
    trees = forest(steps())
    trees.children.setflags(write=True)
    branch = int(np.flatnonzero(trees.children[:, 0] != np.arange(len(trees.feature)))[0])
    if fault == "back":
        trees.children[branch + 1] = branch
    elif fault == "beyond":
        trees.children[branch, 1] = len(trees.feature)
    elif fault == "feature":
        trees.feature[branch] = 3
    elif fault == "root":
        trees.roots[0] = -1
    else:
        trees = trees._replace(share=np.array([0.5, 2.0]))
    with pytest.raises(ModelFileError):
        check_trees(trees, 2, 3)


def test_the_share_is_that_of_the_better_voice_and_a_few_gross_errors_do_not_move_it():
    rng = np.random.default_rng(0)
    truth, noise = rng.standard_normal(400), 0.1 * rng.standard_normal(400)
    good, poor = truth + 0.1 * rng.standard_normal(400), truth + rng.standard_normal(400)
    y, weight, none = truth + noise, np.ones(400), np.zeros(400)
    assert best_step_share(y, poor, none, good, none, weight).share > 0.9
    assert best_step_share(y, good, none, poor, none, weight).share < 0.1
    y[:8] = 100 * rng.standard_normal(8)
    assert best_step_share(y, good, none, poor, none, weight).share < 0.1


@pytest.fixture(scope="module")
def stepping():
    """A target that is all steps, and a model of it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (64, 4))
    y = 3 * (X[:, 0] > 0.5) + 2 * (X[:, 1] > -0.3) + 0.05 * rng.standard_normal(64)
    return X, y, tiny().fit(X, y)


def test_trees_earn_a_share_where_the_target_steps_and_travel_with_the_file(stepping, tmp_path):
    X, _, model = stepping
    trees = model.fitted_.ensemble.trees
    assert trees is not None and 0.1 < trees.share[0] < 1
    model.save(tmp_path / "steps.tsnet")
    again = load(tmp_path / "steps.tsnet")
    one, other = model.predict_distribution(X), again.predict_distribution(X)
    np.testing.assert_array_equal(one.mean, other.mean)
    np.testing.assert_array_equal(one.std, other.std)


def test_without_trees_none_are_grown(stepping):
    X, y, _ = stepping
    assert tiny(details={"trees": 0}).fit(X, y).fitted_.ensemble.trees is None


def test_far_away_the_process_speaks_alone(stepping):
    """A step says nothing of what comes after it."""
    model = stepping[2]
    far = np.full((1, 4), 300.0)
    process = model.fitted_.ensemble.process_share.process
    scaled = model.fitted_.scaler.features(far)
    expected = model.fitted_.scaler.target_scale * process.posterior(scaled).mean + model.fitted_.scaler.target_center
    np.testing.assert_allclose(model.predict(far), expected[:, 0], rtol=1e-3)
