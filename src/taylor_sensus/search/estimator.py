"""TSNetSearch: tries settings by cross-validation, then fits the best ones to all rows."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from taylor_sensus._version import __version__
from taylor_sensus.distributed.workers import dask_workers
from taylor_sensus.errors import SettingError
from taylor_sensus.prediction import Prediction
from taylor_sensus.regressor import TSNetRegressor
from taylor_sensus.search.evaluation import SCORES, Evaluator
from taylor_sensus.search.folds import FoldedRows, digest
from taylor_sensus.search.journal import Journal, stored_seed
from taylor_sensus.search.rounds import FIRST_FOLDS, results, run_rounds
from taylor_sensus.search.space import Options, default_space, resolved, starting_point
from taylor_sensus.settings import NAMES, check_jobs
from taylor_sensus.tables.estimator_input import row_index
from taylor_sensus.tables.groups import learn_groups


class TSNetSearch(MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    """Tries settings of `TSNetRegressor` by cross-validation, then fits the best ones to all rows.

    The estimator's own settings are the first trial, and other settings replace them only if their mean score over
    all folds is better. The score of the winner is optimistic, because the luckiest of many trials wins: evaluate it on
    rows that the search has not seen. Equal rows of X always stand in the same fold; the few rows that do not divide
    evenly among the folds are only learned from, and so is, in its fold, a row with a text that no other fold has.

    Parameters
    ----------
    estimator : TSNetRegressor, optional
        Where the search starts.
    space : dict, optional
        Setting name to a tuple of values, constructor arguments and details alike; `search.SPACE` by default.
    trials : int
        Trials at most, the first included.
    seconds : float, optional
        No fold is begun after so long, except those of the first trial; then the winner is fitted. What is found
        then depends on the speed of the machine. Each call of `fit` has the whole time.
    cv : int
        Folds of the cross-validation.
    scoring : {"nll", "crps", "mse", "mae"}
        What is made small: negative log-likelihood or error of the whole prediction, or error of the mean. Several
        targets are averaged; if their units differ, only "nll" weighs them fairly.
    journal : path, optional
        File to which every evaluated fold is written at once. The same search with the same journal goes on where it
        stopped, also with more `trials`.
    n_jobs : int, optional
        Fits at the same time, each in a process of its own that trains one member after the other; by default one
        fit after the other, as the estimator's `n_jobs` says. The result does not depend on it.
    client : dask.distributed.Client, optional
        A Dask cluster whose workers do the fits, instead of `n_jobs` processes here. The result does not depend on it.
    random_state : int, RandomState or None
        Draws trials and folds, and seeds every fit unless the estimator has a `random_state` of its own. With None, a
        search that finds its journal takes the seed from there.
    verbose : bool
        Write a line for each trial.

    Attributes
    ----------
    best_estimator_ : TSNetRegressor
        Fitted to all rows with the best settings.
    best_params_ : dict
        Its arguments: `TSNetRegressor(**best_params_).fit(X, y)` gives the same model.
    best_score_ : float
        Mean score of the best settings over the folds; smaller is better.
    results_ : DataFrame
        One line a trial: `trial`, `state` (finished, given up, out of time), `score` (mean over the folds, finished
        trials only), `fold_1` ..., `seconds` (of all its folds), and its settings.

    Examples
    --------
    >>> search = TSNetSearch(trials=12, journal="steel.jsonl", random_state=0).fit(X, y)   # doctest: +SKIP
    >>> mean, std = search.predict(X, return_std=True)                                     # doctest: +SKIP
    """

    def __init__(
        self,
        estimator: TSNetRegressor | None = None,
        space: Mapping[str, Sequence[Any]] | None = None,
        trials: int = 24,
        seconds: float | None = None,
        cv: int = 5,
        scoring: str = "nll",
        journal: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        client: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.space = space
        self.trials = trials
        self.seconds = seconds
        self.cv = cv
        self.scoring = scoring
        self.journal = journal
        self.n_jobs = n_jobs
        self.client = client
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> TSNetSearch:
        """Search, then fit the best settings to all rows.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Features as in `TSNetRegressor.fit`.
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            Targets.
        sample_weight : array-like, (rows,), optional
            Weight of each row, 1 by default.
        groups : Series or array-like, (rows,), optional
            The batch or sample of each row, as in `TSNetRegressor.fit`; folds go by them.

        Returns
        -------
        TSNetSearch
            The search itself, fitted.
        """
        self._check_arguments()
        end = math.inf if self.seconds is None else time.monotonic() + self.seconds
        seed = stored_seed(self.journal) if self.random_state is None else None
        if seed is None:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        start = starting_point(self.estimator, seed)
        settings = resolved(start)
        options = Options.of(default_space(start) if self.space is None else self.space, start)
        table, names = clone(start)._learn_table(X, y, sample_weight, settings)  # checks all rows before any fold
        if groups is not None:
            code, group_names = learn_groups(groups, len(table.x), row_index(X))
            table, names = table._replace(group=code), names._replace(groups=group_names)
        rows = FoldedRows.of(X, table.x, table.y, table.weight, cv=self.cv, seed=seed, groups=table.group)
        fingerprint = {
            "data": digest(table, names),
            "estimator": {n: getattr(settings, n) for n in NAMES} | {"random_state": start.random_state},
            "space": options.values,
            "cv": self.cv,
            "scoring": self.scoring,
            "seed": seed,
            "version": __version__,
        }
        journal = Journal(self.journal, fingerprint)
        evaluator = Evaluator(start, options, rows, self.scoring, journal, self.n_jobs, dask_workers(self.client), end)
        states, best = run_rounds(evaluator, trials=self.trials, seed=seed, notify=self._notify)
        self.results_ = results(evaluator, states)
        self.best_score_ = evaluator.mean(best)
        winner = options.applied(start, best.choice)
        self.best_params_ = _arguments(winner)
        self._notify(f"trial {best.number} is the best; fitting it to all rows")
        self.best_estimator_ = winner.fit(X, y, sample_weight, groups=groups, client=self.client)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """As the best estimator: the mean for each row, and with `return_std` its standard deviation too.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit.
        return_std : bool, default=False
            Whether to give the standard deviation too.

        Returns
        -------
        ndarray, or a pair of ndarrays
            Mean, and with `return_std` also the standard deviation, in the unit of y.
        """
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X, return_std)

    def predict_distribution(self, X: Any) -> Prediction:
        """As the best estimator: mean, std, where the error comes from, intervals, samples.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit.

        Returns
        -------
        Prediction
            A distribution for each row.
        """
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_distribution(X)

    @property
    def n_features_in_(self) -> int:
        """Columns of the table that was searched on."""
        return self.best_estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Their names, if they have any."""
        return self.best_estimator_.feature_names_in_

    def __sklearn_clone__(self) -> TSNetSearch:
        """scikit-learn copies arguments; a connection to a cluster has no copy, and is shared."""
        arguments = self.get_params(deep=False)
        copied = {name: value if name == "client" else clone(value, safe=False) for name, value in arguments.items()}
        made = type(self)(**copied)
        if hasattr(self, "_metadata_request"):
            made._metadata_request = copy.deepcopy(self._metadata_request)
        return made

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _check_arguments(self) -> None:
        problems = []
        if not isinstance(self.estimator, TSNetRegressor | None):
            problems.append(f"estimator must be a TSNetRegressor or None, not {type(self.estimator).__name__}")
        for name, low in {"trials": 1, "cv": FIRST_FOLDS}.items():
            value = getattr(self, name)
            if not (isinstance(value, Integral) and int(value) >= low):
                problems.append(f"{name} must be a whole number, at least {low}, not {value!r}")
        if not (self.seconds is None or (isinstance(self.seconds, Real) and self.seconds > 0)):
            problems.append(f"seconds must be a number above 0, or None for no limit, not {self.seconds!r}")
        if self.scoring not in list(SCORES):
            problems.append(f"scoring must be one of {', '.join(SCORES)}, not {self.scoring!r}")
        if problems:
            raise SettingError("; ".join(problems))
        check_jobs(self.n_jobs)

    def _notify(self, line: str) -> None:
        if self.verbose:
            Console(stderr=True).print(line, markup=False, highlight=False, soft_wrap=True)


def _arguments(estimator: TSNetRegressor) -> dict[str, Any]:
    """The constructor arguments on which the model depends, as far as they are not the defaults."""
    defaults = TSNetRegressor().get_params(deep=False)
    given = estimator.get_params(deep=False)
    return {n: v for n, v in given.items() if n not in ("n_jobs", "verbose") and v != defaults[n]}
