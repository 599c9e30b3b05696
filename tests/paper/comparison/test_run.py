"""The comparison: which tasks there are, and that a task says what its method does on test rows."""

from __future__ import annotations

import json

import numpy as np

from paper.comparison import run as comparison
from paper.comparison.study import COMPARISON
from paper.engine.study import Selection
from paper.studies import STUDIES
from taylor_sensus.baselines.registry import METHODS, method
from taylor_sensus.datasets.catalogue import load_dataset, split_dataset
from taylor_sensus.scores import evaluate, nll


def test_the_comparison_is_every_method_on_every_dataset():
    tasks = STUDIES["comparison"].tasks(Selection())
    assert len(tasks) == len(set(tasks)) == 8 * 5 * len(METHODS)
    quick = STUDIES["comparison"].tasks(Selection(quick=True))
    assert {task.dataset for task in quick} == {"diabetes", "forest_fires"}
    assert {task.method for task in quick} == set(METHODS)
    assert all(task.parameters == {"quick": True} for task in quick)
    assert {task.seed for task in STUDIES["timing"].tasks(Selection())} == {0}


def test_scores_are_those_of_the_test_rows():
    task = COMPARISON.task("diabetes", "extra_trees", 3, quick=True)
    result = comparison.run(task, 1)
    parts = split_dataset(load_dataset("diabetes"), 3)
    model = method("extra_trees").make(random_state=3, quick=True)
    model.fit(parts.X_train, parts.y_train, X_val=parts.X_val, y_val=parts.y_val)
    prediction = model.predict_distribution(parts.X_test)
    expected = evaluate(np.asarray(parts.y_test), prediction)
    assert {name: result.values[name] for name in expected} == expected
    assert result.values["rows"] == 89
    assert result.values["searched"] is None
    np.testing.assert_array_equal(result.arrays["row"], parts.X_test.index)
    np.testing.assert_allclose(result.arrays["std"], prediction.std, rtol=1e-6)
    assert all(array.dtype.itemsize == 4 for array in result.arrays.values())


def test_a_search_keeps_what_is_best_on_validation_rows():
    task = COMPARISON.task("diabetes", "extra_trees", 0, quick=True, search=True)
    result = comparison.run(task, 1)
    chosen = json.loads(result.values["searched"])
    parts = split_dataset(load_dataset("diabetes"), 0)
    scores = {}
    grid = METHODS["extra_trees"].grid
    for features in grid["max_features"]:
        for leaf in grid["min_samples_leaf"]:
            model = method("extra_trees").make(random_state=0, quick=True, max_features=features, min_samples_leaf=leaf)
            model.fit(parts.X_train, parts.y_train, X_val=parts.X_val, y_val=parts.y_val)
            said = model.predict_distribution(parts.X_val)
            scores[features, leaf] = nll(np.asarray(parts.y_val), said.mean, said.std)
    assert len(set(scores.values())) == 4
    assert (chosen["max_features"], chosen["min_samples_leaf"]) == min(scores, key=lambda pair: scores[pair])
    assert comparison.inputs(task).settings["grid"]
    assert result.values["search_seconds"] > result.values["fit_seconds"]
