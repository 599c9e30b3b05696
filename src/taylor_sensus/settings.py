"""Every hyper-parameter once: its name, default, meaning and where the default comes from.

The constructor of `TSNetRegressor` names the ones that people change; the rest are reached by name
through its `details` argument. `paper()` gives the constructor arguments of the method as printed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from numbers import Integral, Real
from typing import Any

from taylor_sensus.errors import SettingError, did_you_mean


def _setting(default: Any, meaning: str, source: str) -> Any:
    """A field that carries its own meaning and source."""
    return field(default=default, metadata={"meaning": meaning, "source": source})


COMPARED = (
    "compared on test rows of steels, diabetes and concrete (3 splits each) and the 1-D toy; no committed study yet"
)
ABLATION = "study `ablation`: compared on the six datasets and twelve others, one split each"
CHEAPER = "the cheapest that lost nothing on eight tables beside the six, two splits; no committed study"
OTHERS = "compared on 8 to 17 tables beside the six (R's datasets, Friedman's functions); no committed study"
MECHANISMS = "study `mechanisms`: nineteen tables outside all benchmarks, three splits"
WIDTHS = (
    "study `mechanisms`: half the arithmetic of 96 at the same error on 24 tables; of three tables of 5,000 to 16,000 "
    "training rows the largest loses 3 % with 64"
)
SPREADS = "study `mechanisms`, and validation rows of concrete, which lose 6 % with one"
BOOSTING = (
    "study `mechanisms`: functions that step; kind and size of the trees: `bench/boosted.py`, tables of R and "
    "functions that step, 400 to 16,000 rows; from how many rows on: unseen rows of ten tables of R and four of UCI; "
    "more of them: `bench/step_shares.py`"
)
TOY = "compared on the 1-D toy only, seeds 0 to 4"
CHOSEN = "our choice, not compared yet"
USUAL = "the usual value of the literature"
PAPER = "the paper"


FEW_WIDTH, MANY_WIDTH, MANY_ROWS = 64, 96, 5_000
"""Neurons in a hidden layer where nothing is set, and the training rows above which there are more of them."""


@dataclass(frozen=True)
class Settings:
    """All hyper-parameters of one fit, resolved and checked."""

    # --- what people change: also arguments of the constructor -----------------------------------
    members: int = _setting(8, "networks in the ensemble, each trained without its own fold of rows", ABLATION)
    width: int | None = _setting(
        None,
        "neurons in a hidden layer of the mean network; None: 64, and 96 of tables above 5,000 training rows",
        WIDTHS,
    )
    depth: int = _setting(3, "hidden layers of the mean network", TOY)
    activation: str = _setting("silu", "mish, silu, tanh or sigmoid: all twice differentiable", COMPARED)
    embedding: str = _setting("periodic", "periodic (learned), positional (eq. 48) or none", ABLATION)
    epochs: int = _setting(128, "passes over the training rows", CHEAPER)
    batch_size: int = _setting(128, "rows in a step; halved while it exceeds half the table", CHEAPER)
    learning_rate: float = _setting(0.02, "largest step size, reached after the warm-up", TOY)
    dropout: float = _setting(0.0, "staged training: share of hidden neurons left out, fading to none", ABLATION)
    training: str = _setting("staged", "staged: mean, then noise; joint: Algorithm 1 as printed", ABLATION)
    loss: str = _setting("expected", "joint training: eq. 16 in expectation, or sampled as printed", TOY)
    combination: str = _setting(
        "mixture", "joint, or without a process: how prior and network combine (eq. 14), mixture or printed", CHOSEN
    )
    prior: Any = _setting("ridge", "ridge, mean, or a function of X: the prediction far from data", ABLATION)
    contrast: str = _setting(
        "off", "eq. 10: bounded, theory, printed or off; staged training only pulls means together", MECHANISMS
    )
    density: bool = _setting(
        True, "joint, or without a process: whether familiarity (eqs. 11 to 13) moves predictions to the prior", PAPER
    )
    kernel: bool = _setting(True, "staged training: whether a Gaussian process shares in the mean", ABLATION)
    X_err_kind: Any = _setting(
        "reading",
        "what declared errors of X are: reading (recorded = true + error, as instruments give), setting (the system "
        "works at recorded + error, as set points do), or a dict of these by column",
        CHOSEN,
    )
    positive: bool = _setting(
        False,
        "whether targets cannot be negative: a shape on positive numbers, same mean and std",
        CHOSEN,
    )

    # --- the mean network -------------------------------------------------------------------------
    frequencies: int = _setting(8, "waves a feature in the periodic embedding", COMPARED)
    frequency_multiples: tuple[float, ...] = _setting(
        (1.0, 4.0),
        "spreads of the waves' initial frequencies, as multiples of the sampling limit; short runs choose among them",
        SPREADS,
    )
    frequency_cap: float = _setting(2.0, "largest spread, in waves a scaled unit", COMPARED)
    pilots: int = _setting(
        2, "members trained for a short while with each of several spreads, before the choice", CHOSEN
    )
    pilot_share: float = _setting(0.25, "length of those runs as a share of the others'", CHOSEN)
    octaves: int = _setting(0, "L of the positional embedding (eq. 48), which the paper leaves open", TOY)
    weight_decay: float = _setting(0.0, "shrinkage of weights, times the learning rate", ABLATION)
    most_steps: int = _setting(
        20_000, "steps in a run at most, however large the table; a tenth of it for noise networks", CHOSEN
    )
    warmup: float = _setting(0.1, "share of the steps in which the learning rate rises", USUAL)
    checks: int = _setting(16, "how often the held-out rows are scored in a run", CHOSEN)
    patience: float = _setting(0.3, "share of the run without improvement after which it stops", COMPARED)
    folds: int = _setting(8, "groups of rows, each held out from at least one member", TOY)

    # --- the noise networks -----------------------------------------------------------------------
    taylor: bool = _setting(True, "whether features have noise of their own that the Jacobian carries (eq. 8)", PAPER)
    noise_width: int = _setting(32, "neurons in a hidden layer of the noise networks", MECHANISMS)
    noise_depth: int = _setting(2, "hidden layers of the noise networks", CHOSEN)
    noise_epochs: int = _setting(64, "passes over the rows for the noise networks", CHOSEN)
    noise_learning_rate: float = _setting(0.01, "largest step size for the noise networks", CHOSEN)
    noise_range: float = _setting(4.0, "log-variances stay within this of the overall level", CHOSEN)
    log_weight: float = _setting(1.0, "lambda_H of eq. 16", PAPER)
    beta: float = _setting(0.5, "joint training weighs rows by variance to this power (0: as printed)", TOY)

    # --- contrast, density, prior -----------------------------------------------------------------
    contrast_weight: float = _setting(1.0, "lambda_CL of eq. 18", OTHERS)
    contrast_mean: float = _setting(1.0, "lambda_CL1 of eq. 10", PAPER)
    contrast_spread: float = _setting(0.1, "lambda_CL2 of eq. 10", CHOSEN)
    contrast_noise: float = _setting(0.1, "typical std of the noise added to scaled features", COMPARED)
    density_weight: float = _setting(1.0, "lambda_KL of eq. 18", PAPER)
    density_steps: int = _setting(200, "training steps of the density attention when trained by itself", CHOSEN)
    neighbours: int = _setting(16, "K of eq. 11", USUAL)
    landmarks: int = _setting(256, "stored rows that the attention looks at", CHOSEN)
    kernel_rows: int = _setting(3000, "training rows that the kernel part keeps; fewer of a table above 10,000", CHOSEN)
    kernel_limit: int = _setting(1_000_000, "rows above which the kernel part is left out", CHOSEN)
    kernel_search_rows: int = _setting(500, "rows from which the kernel part learns its length scales", OTHERS)
    robust: bool = _setting(True, "staged training: whether rows far off what the others say count less", OTHERS)
    trees: int = _setting(16, "staged training: trees of each member that share in the mean where they gain", OTHERS)
    boosting: int = _setting(
        300,
        "staged training: boosted trees that share in the mean of tables of 300 rows and more where they gain; up to "
        "four times as many where unseen rows go on gaining",
        BOOSTING,
    )
    interval_fits: int = _setting(
        0,
        "fits without a part of the rows that conformal intervals take their width from; 0: rows that members have "
        "not seen, at no cost",
        CHOSEN,
    )
    prior_inflation: float = _setting(1.5, "prior variance as a multiple of the target's variance", CHOSEN)

    def of_rows(self, rows: int) -> Settings:
        """The same settings for a table of so many training rows: what depends on their number is a number.

        Parameters
        ----------
        rows : int
            Distinct rows that the networks learn from, or a sample of them.

        Returns
        -------
        Settings
            With a `width`.
        """
        return self if self.width is not None else replace(self, width=MANY_WIDTH if rows > MANY_ROWS else FEW_WIDTH)

    def __post_init__(self) -> None:
        problems = [problem for name in CHOICES for problem in _check_choice(self, name)]
        problems += [problem for f in fields(self) for problem in _check_number(f, getattr(self, f.name))]
        if not (callable(self.prior) or _is_one_of(self.prior, ("ridge", "mean"))):
            problems.append(f"prior must be 'ridge', 'mean' or a function of X, not {self.prior!r}")
        problems += _check_kinds(self.X_err_kind)
        multiples = self.frequency_multiples
        if not isinstance(multiples, tuple | list) or not all(_is_number(m) and m > 0 for m in multiples or [0]):
            problems.append(f"frequency_multiples must be a tuple of positive numbers, not {multiples!r}")
        if not problems and not self.dropout < 1:
            problems.append(f"dropout must be below 1, not {self.dropout!r}")
        if problems:
            raise SettingError("; ".join(problems))


CHOICES = {
    "activation": ("mish", "silu", "tanh", "sigmoid"),
    "embedding": ("periodic", "positional", "none"),
    "training": ("staged", "joint"),
    "loss": ("expected", "sampled"),
    "combination": ("mixture", "printed"),
    "contrast": ("theory", "bounded", "printed", "off"),
}
LOWEST = {
    "members": 1, "width": 1, "depth": 1, "epochs": 1, "batch_size": 1, "frequencies": 1, "pilots": 1, "checks": 1,
    "most_steps": 1, "folds": 2, "noise_width": 1, "noise_depth": 1, "noise_epochs": 1, "noise_range": 0.1,
    "density_steps": 1, "neighbours": 1, "landmarks": 2, "kernel_rows": 2, "kernel_search_rows": 2,
}  # fmt: skip
"""Lowest allowed values where they are not 0."""
HIGHEST = {"members": 1000, "depth": 100, "noise_depth": 100, "octaves": 30, "noise_range": 30, "kernel_rows": 4096}
"""Highest allowed values: nothing is gained beyond, and a model would take minutes or gigabytes to load."""


KINDS = ("reading", "setting")
"""Of declared errors of X."""


def _check_kinds(value: Any) -> list[str]:
    kinds = list(value.values()) if isinstance(value, dict) else [value]
    wrong = [kind for kind in kinds if not _is_one_of(kind, KINDS)]
    return [f"X_err_kind must be 'reading', 'setting' or a dict of these by column, not {wrong[0]!r}"] if wrong else []


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: Any, low: float) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= low


def _is_one_of(value: Any, allowed: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in allowed


def _check_number(f: Field, value: Any) -> list[str]:
    """Whole numbers, numbers and switches must be what they say, finite, and within their range."""
    low, high = LOWEST.get(f.name, 0), HIGHEST.get(f.name, math.inf)
    if f.type == "int | None":
        wrong = value is not None and not _is_whole(value, low)
        return [f"{f.name} must be a whole number, at least {low}, or None, not {value!r}"] if wrong else []
    if f.type == "bool":
        return [] if type(value).__name__ in ("bool", "bool_") else [f"{f.name} must be True or False, not {value!r}"]
    if f.type == "int" and not _is_whole(value, low):
        return [f"{f.name} must be a whole number, at least {low}, not {value!r}"]
    if f.type == "float" and not (_is_number(value) and value >= low):
        return [f"{f.name} must be a number, at least {low}, not {value!r}"]
    if f.type in ("int", "float") and isinstance(value, Real) and not value <= high:
        return [f"{f.name} must be at most {high}, not {value!r}"]
    return []


def _check_choice(settings: Settings, name: str) -> list[str]:
    value, allowed = getattr(settings, name), CHOICES[name]
    return [] if _is_one_of(value, allowed) else [f"{name} must be one of {', '.join(allowed)}, not {value!r}"]


def _parameters() -> str:
    """The section on parameters of the docstring, from what the fields carry: nothing is written twice."""
    lines = ["Parameters", "----------"]
    for f in fields(Settings):
        meaning, source = f.metadata["meaning"], f.metadata["source"]
        lines += [f"{f.name} : {f.type}, default={f.default!r}", f"    {meaning[0].upper()}{meaning[1:]} ({source})."]
    return "\n".join(lines)


Settings.__doc__ = f"{Settings.__doc__}\n\n{_parameters()}\n"
DEFAULTS = Settings()
NAMES = tuple(f.name for f in fields(Settings))
CONSTRUCTOR = NAMES[: NAMES.index("frequencies")]
"""The settings that are arguments of `TSNetRegressor`, in order; all others are details."""


STAGED, JOINT = {"training": ("staged",)}, {"training": ("joint",)}
PERIODIC = {"embedding": ("periodic",)}
CONTRAST = {"contrast": ("bounded", "theory", "printed")}
DENSITY, KERNEL = {"density": (True,)}, {"kernel": (True,)}
NEEDS: dict[str, dict[str, tuple[Any, ...]]] = {
    "dropout": STAGED,
    "noise_epochs": STAGED,
    "noise_learning_rate": STAGED,
    "loss": JOINT,
    "beta": JOINT,
    "frequencies": PERIODIC,
    "frequency_cap": PERIODIC,
    "frequency_multiples": PERIODIC | STAGED,
    "pilots": PERIODIC | STAGED,
    "pilot_share": PERIODIC | STAGED,
    "octaves": {"embedding": ("positional",)},
    "contrast_weight": CONTRAST,
    "contrast_mean": CONTRAST,
    "contrast_noise": CONTRAST,
    "contrast_spread": CONTRAST | JOINT,
    "neighbours": DENSITY,
    "landmarks": DENSITY,
    "density_steps": DENSITY | STAGED,
    "density_weight": DENSITY | JOINT,
    "kernel_rows": KERNEL | STAGED,
    "kernel_limit": KERNEL | STAGED,
    "kernel_search_rows": KERNEL | STAGED,
}
"""Settings that only some modes look at: by name, the values of other settings with which each has an effect.

Switches that are off where the mode has no such part (`kernel`, `robust`) say what happens, so they are not here.
"""


def idle(chosen: Mapping[str, Any]) -> dict[str, str]:
    """Settings that a mode never looks at, whatever their values, each with the setting that is the reason.

    Parameters
    ----------
    chosen : mapping
        Values by name; the default where there is none.

    Returns
    -------
    dict
        Of names and names.
    """
    return {
        name: other
        for name, needs in NEEDS.items()
        for other, values in needs.items()
        if chosen.get(other, getattr(DEFAULTS, other)) not in values
    }


def _check_idle(settings: Settings) -> list[str]:
    """What was given and would be ignored; a default does not count as given, because clones pass every argument."""
    problems = []
    for name, other in idle(vars(settings)).items():
        value, default = getattr(settings, name), getattr(DEFAULTS, name)
        if (tuple(value) if isinstance(value, list) else value) != default:
            now, needed = getattr(settings, other), NEEDS[name][other][0]
            remedy = f"leave {name} out, or set {other}={needed!r}"
            problems.append(f"{name}={value!r} has no effect with {other}={now!r}: {remedy}")
    return problems


def _plain(value: Any) -> Any:
    """Python's own number for one of NumPy's."""
    return value.item() if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 else value


def resolve(arguments: dict[str, Any], details: dict[str, Any] | None) -> Settings:
    """Settings from the constructor's arguments and `details`.

    Unknown names are refused with a near match, values that the mode would ignore with what they need.

    Parameters
    ----------
    arguments : dict
        The settings that are arguments of the constructor, by name.
    details : dict or None
        Others, by name.

    Returns
    -------
    Settings
        Complete and checked.
    """
    if not isinstance(details, dict | None):
        raise SettingError(f"details must be a dict of settings by name, not {details!r}")
    details = details or {}
    problems = []
    for name in details:
        if name in arguments:
            problems.append(f"{name!r} is an argument of its own, not a detail")
        elif name not in NAMES:
            problems.append(f"there is no setting {name!r}{did_you_mean(name, NAMES)}")
    if problems:
        raise SettingError("; ".join(problems))
    settings = replace(DEFAULTS, **{name: _plain(value) for name, value in (arguments | details).items()})
    if ignored := _check_idle(settings):
        raise SettingError("; ".join(ignored))
    return settings


def check_jobs(n_jobs: Any) -> None:
    """Refuse what cannot be a number of jobs.

    Parameters
    ----------
    n_jobs : int or None
        A whole number other than 0, or None for all cores.
    """
    if n_jobs is not None and not (isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool) and n_jobs != 0):
        raise SettingError(f"n_jobs must be a whole number other than 0, or None for all cores, not {n_jobs!r}")


def fast(**changes: Any) -> dict[str, Any]:
    """Constructor arguments for a quicker fit at some cost in accuracy: `TSNetRegressor(**fast())`.

    Parameters
    ----------
    **changes : Any
        Constructor arguments or details that differ from the set.

    Returns
    -------
    dict
        Arguments of `TSNetRegressor`.
    """
    return _arguments({"members": 4, "epochs": 64}, {"folds": 4, "pilots": 1}, changes)


def best(**changes: Any) -> dict[str, Any]:
    """Constructor arguments for the last percent of accuracy on small tables, at a price in time.

    Parameters
    ----------
    **changes : Any
        Constructor arguments or details that differ from the set.

    Returns
    -------
    dict
        Arguments of `TSNetRegressor`.
    """
    return _arguments({"members": 16, "dropout": 0.1, "width": 128, "epochs": 256}, {}, changes)


def _arguments(arguments: dict[str, Any], details: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """With `changes`, which may be constructor arguments or details; what they make idle of the set is left out."""
    chosen = {**arguments, **details, **changes}
    ignored = idle(chosen)
    kept = {name: value for name, value in chosen.items() if name in changes or name not in ignored}
    return {
        **{name: value for name, value in kept.items() if name in CONSTRUCTOR},
        "details": {name: value for name, value in kept.items() if name not in CONSTRUCTOR},
    }


def paper(**changes: Any) -> dict[str, Any]:
    """Constructor arguments of the method as printed, with minimal repairs: `TSNetRegressor(**paper())`.

    One network, sigmoid MLPs, Algorithm 1 trained jointly, printed combination, sampled loss, constant prior.
    The paper's positional embedding, which it uses on the toys only, is `paper(embedding="positional")`.

    Parameters
    ----------
    **changes : Any
        Constructor arguments or details that differ from the set.

    Returns
    -------
    dict
        Arguments of `TSNetRegressor`.
    """
    arguments: dict[str, Any] = {
        "members": 1,
        "width": 128,
        "activation": "sigmoid",
        "embedding": "none",
        "epochs": 1000,
        "learning_rate": 0.03,
        "dropout": 0.0,
        "training": "joint",
        "loss": "sampled",
        "combination": "printed",
        "prior": "mean",
        "contrast": "bounded",
        "kernel": False,
        "X_err_kind": "setting",
    }
    return _arguments(arguments, {"folds": 5, "contrast_weight": 0.1, "checks": 32, "noise_width": 64}, changes)
