"""Settings: each has a meaning and a source, wrong ones are refused together, with the near name."""

import dataclasses
from inspect import signature

import numpy as np
import pytest

from taylor_sensus import TSNetRegressor
from taylor_sensus.errors import SettingError
from taylor_sensus.settings import (
    CHOICES,
    CONSTRUCTOR,
    DEFAULTS,
    LOWEST,
    NAMES,
    NEEDS,
    Settings,
    best,
    check_jobs,
    fast,
    paper,
    resolve,
)


def test_every_setting_says_what_it_means_and_where_its_default_comes_from():
    for field in dataclasses.fields(Settings):
        assert field.metadata["meaning"] and field.metadata["source"], field.name


def test_the_constructor_has_the_same_names_and_defaults():
    parameters = signature(TSNetRegressor).parameters
    assert tuple(parameters)[: len(CONSTRUCTOR)] == CONSTRUCTOR
    assert all(parameters[name].default == getattr(DEFAULTS, name) for name in CONSTRUCTOR)
    assert set(LOWEST) | set(CHOICES) <= set(NAMES)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"members": 0}, "members must be a whole number, at least 1, not 0"),
        ({"members": 2.0}, "members must be a whole number"),
        ({"members": True}, "members must be a whole number"),
        ({"members": "8"}, "members must be a whole number"),
        ({"folds": 1}, "folds must be a whole number, at least 2"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number"),
        ({"learning_rate": -1}, "learning_rate must be a number, at least 0"),
        ({"dropout": 1.0}, "dropout must be below 1"),
        ({"density": "yes"}, "density must be True or False"),
        ({"activation": "relu"}, "activation must be one of mish, silu, tanh, sigmoid, not 'relu'"),
        ({"training": None}, "training must be one of staged, joint"),
        ({"loss": np.array(["expected"])}, "loss must be one of"),
        ({"prior": "flat"}, "prior must be 'ridge', 'mean' or a function of X"),
        ({"prior": np.zeros(2)}, "prior must be"),
        ({"frequency_multiples": ()}, "frequency_multiples must be"),
        ({"frequency_multiples": (1.0, -1.0)}, "frequency_multiples must be"),
        ({"frequency_multiples": 1.0}, "frequency_multiples must be"),
    ],
)
def test_wrong_values_are_refused(changes, says):
    with pytest.raises(SettingError, match=says):
        Settings(**changes)


def test_all_problems_are_told_at_once():
    with pytest.raises(SettingError, match=r"activation.*members.*width.*prior"):
        Settings(activation="relu", members=0, width=0, prior=3)


def test_numbers_of_numpy_are_numbers():
    assert Settings(members=np.int64(3), learning_rate=np.float32(0.5), density=np.bool_(False)).members == 3


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_can_be_given_by_name(name):
    value = getattr(DEFAULTS, name)
    if name in CONSTRUCTOR:
        assert resolve({name: value}, None) == DEFAULTS
    else:
        assert resolve({}, {name: value}) == DEFAULTS


def test_details_with_wrong_names_are_refused_together():
    with pytest.raises(SettingError, match=r"no setting 'noise_epoch'; did you mean 'noise_epochs'\?; .*'qqq'"):
        resolve({}, {"noise_epoch": 3, "qqq": 1})
    with pytest.raises(SettingError, match="'width' is an argument of its own, not a detail"):
        resolve({"width": 3}, {"width": 3})
    with pytest.raises(SettingError, match="no setting 3"):
        resolve({}, {3: 3})
    with pytest.raises(SettingError, match="details must be a dict"):
        resolve({}, "folds=3")


def given(**chosen):
    """As the constructor would be."""
    details = {**chosen.pop("details", {}), **{n: v for n, v in chosen.items() if n not in CONSTRUCTOR}}
    return resolve({n: v for n, v in chosen.items() if n in CONSTRUCTOR}, details)


def another(name):
    """A value of the setting that is not its default."""
    default = getattr(DEFAULTS, name)
    if name in CHOICES:
        return next(choice for choice in CHOICES[name] if choice != default)
    return (0.5,) if isinstance(default, tuple) else default + 1


@pytest.mark.parametrize(
    ("name", "other"), [(name, other) for name, needs in NEEDS.items() for other in needs], ids=lambda value: value
)
def test_what_a_mode_would_ignore_is_refused_with_the_remedy(name, other):
    fine = {other: values[0] for other, values in NEEDS[name].items()}
    value = 0.5 if name == "dropout" else another(name)
    assert getattr(given(**fine, **{name: value}), name) == value
    for wrong in CHOICES.get(other, (True, False)):
        if wrong in NEEDS[name][other]:
            continue
        mode = {**fine, other: wrong}
        with pytest.raises(SettingError) as refused:
            given(**mode, **{name: value})
        said = str(refused.value)
        assert f"{name}={value!r} has no effect with {other}={wrong!r}" in said
        assert f"leave {name} out, or set {other}={NEEDS[name][other][0]!r}" in said
        default = getattr(DEFAULTS, name)
        assert getattr(given(**mode, **{name: default}), name) == default, "a clone passes it"
        Settings(**mode, **{name: value})  # a model file of an earlier version may hold it


def test_sets_of_settings_leave_out_what_changes_make_idle():
    for made in (fast(), best(), paper(), fast(embedding="none"), best(training="joint"), paper(contrast="off")):
        given(**made)
    assert "pilots" not in fast(embedding="none")["details"] and fast()["details"]["pilots"] == 1
    with pytest.raises(SettingError, match="contrast_weight"):
        given(**paper(contrast="off", contrast_weight=0.5))


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_impossible_numbers_of_jobs_are_refused(n_jobs):
    with pytest.raises(SettingError, match="n_jobs must be a whole number other than 0"):
        check_jobs(n_jobs)
    for possible in (None, 1, -1, np.int64(4)):
        check_jobs(possible)


def test_the_method_as_printed():
    arguments = paper(width=32, noise_width=8, embedding="positional")
    assert arguments["width"] == 32 and arguments["details"]["noise_width"] == 8
    model = TSNetRegressor(**arguments)
    settings = resolve({name: getattr(model, name) for name in CONSTRUCTOR}, model.details)
    assert (settings.members, settings.activation, settings.training) == (1, "sigmoid", "joint")
    assert (settings.loss, settings.combination, settings.prior) == ("sampled", "printed", "mean")
    assert paper() == paper() and paper()["details"] is not paper()["details"]


def test_settings_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULTS.members = 3


def test_a_value_beyond_the_highest_is_refused():
    with pytest.raises(SettingError, match="kernel_rows must be at most 4096, not 5000"):
        resolve({}, {"kernel_rows": 5000})
