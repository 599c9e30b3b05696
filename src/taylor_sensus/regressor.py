"""TSNetRegressor: the scikit-learn face."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    check_is_fitted,
)

from taylor_sensus.budget import NoiseBudget
from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.model.intervals import METHODS as CONFORMAL_METHODS
from taylor_sensus.prediction import Interval, Prediction
from taylor_sensus.records import EncodedTable, Names, Query
from taylor_sensus.settings import CONSTRUCTOR, DEFAULTS, Settings, check_jobs, resolve
from taylor_sensus.tables.columns import (
    read_targets,
)
from taylor_sensus.tables.covariances import taken_apart
from taylor_sensus.tables.declared import (
    read_feature_errors,
    read_target_errors,
    warn_of_empty_columns,
    warn_of_targets,
    warn_of_units,
)
from taylor_sensus.tables.estimator_input import (
    ReadsTables,
    carried_over,
    joined,
    row_index,
    same_for_all_rows,
    with_errors,
    with_limits,
    with_row_names,
)
from taylor_sensus.tables.groups import known_codes, learn_groups
from taylor_sensus.tables.quantities import check_target_units, unpacked
from taylor_sensus.words.progress import TrainingProgress, has_listener
from taylor_sensus.words.summary import summary_html, summary_text

if TYPE_CHECKING:
    from taylor_sensus.fit.checkpoint import Checkpoints
    from taylor_sensus.fit.processes import Processes
    from taylor_sensus.fit.stream import RowSource
    from taylor_sensus.fitted import FittedModel
    from taylor_sensus.report import Report
    from taylor_sensus.report.importance import Importance
    from taylor_sensus.suggest import Suggestions


class TSNetRegressor(ReadsTables, RegressorMixin, BaseEstimator):
    """Regression with a mean and an error bar for each row, and the sources of the error: the Taylor-Sensus Network.

    Predicts a value, the noise that comes in through the features, the system's own noise, and the uncertainty where
    data are sparse. All settings below have defaults that suit most tables; `taylor_sensus.settings` says where
    each default comes from and has ready-made sets, `fast()`, `best()` and `paper()`.

    Parameters
    ----------
    members : int, default=8
        Networks in the ensemble. Each is trained without its own fold of the rows, which stops and evaluates it.
        More members take proportionally longer, and the mean and its uncertainty become a little better.
    width : int or None, default=None
        Neurons in a hidden layer of the mean network. None: 64, and 96 of tables above 5,000 training rows.
    depth : int, default=3
        Hidden layers of the mean network.
    activation : {"silu", "mish", "tanh", "sigmoid"}, default="silu"
        Activation of the mean network. All are twice differentiable, which the Taylor expansion needs.
    embedding : {"periodic", "positional", "none"}, default="periodic"
        What the mean network sees of each feature: learned waves, the paper's fixed waves, or the feature itself.
    epochs : int, default=128
        Passes over the training rows at most; training stops earlier when the rows that are held out get no better.
    batch_size : int, default=128
        Rows in a training step; halved while it exceeds half the table.
    learning_rate : float, default=0.02
        Largest step size, reached after the warm-up.
    dropout : float, default=0.0
        Staged training: share of hidden neurons that are left out, from 0 to below 1, fading to none during training.
    training : {"staged", "joint"}, default="staged"
        "staged" fits the mean first and the noise to what it leaves; "joint" trains all at once, as
        the paper prints it.
    loss : {"expected", "sampled"}, default="expected"
        Joint training: the paper's loss in expectation over the noise, or with noise drawn, as printed.
    combination : {"mixture", "printed"}, default="mixture"
        How prior and networks combine: as a mixture of distributions, or as printed.
    prior : {"ridge", "mean"} or callable, default="ridge"
        Prediction far from data: a ridge regression, the targets' mean, or a function of X that gives the mean
        in the target's unit, `(rows,)` or `(rows, targets)`. A model with a function cannot be saved or updated.
    contrast : {"off", "bounded", "theory", "printed"}, default="off"
        Form of the noise-aware contrast, which pulls the means of a row and of a noisy copy of it together; no
        gain of it shows on average. "printed" is for study only.
    density : bool, default=True
        In the paper's mode, or without a process: whether familiarity by density moves predictions towards the prior.
    kernel : bool, default=True
        Staged training: whether a Gaussian process shares in the mean.
    X_err_kind : str or dict, default="reading"
        What declared errors of X are: "reading" (recorded = true + error, as instruments give), "setting" (the system
        works at recorded + error, as set points do), or a dict of these by column. Predictions are for
        other readings or set points like them; ``X_err=0`` asks for the law at exactly known inputs.
    positive : bool, default=False
        Whether targets cannot be negative, as amounts and counts. Means, error bars and budgets keep their meaning;
        intervals, quantiles, samples and scores are those of a distribution on the positive numbers.
    details : dict, optional
        Any other field of `Settings` by name, such as ``{"kernel_rows": 2000}``.
    n_jobs : int, optional
        Members trained, and chunks of rows predicted, at the same time at most; all cores by default. Small tables are
        fitted on one, where more would only wait for each other. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        The same integer on the same machine gives the same model, bit for bit.
    verbose : bool, default=False
        Show progress while fitting.
    time_limit : float, optional
        Seconds that a fit may take, roughly: members, training steps and the process are reduced until it fits, as
        `summary()` then says. What is chosen depends on the machine, so that the result does too. None: no limit.

    Attributes
    ----------
    fitted_ : FittedModel
        All that a prediction needs: settings, networks, scales, errors on unseen rows.
    history_ : DataFrame
        Training history.
    n_features_in_ : int
        Columns of the table that was fitted.
    feature_names_in_ : ndarray of str
        Their names, if the table has names.

    See Also
    --------
    taylor_sensus.TSNetSearch : Tries other settings by cross-validation.
    taylor_sensus.load : Reads a saved model.
    taylor_sensus.read_measurements : Reads tables with units and errors in headers and cells.

    References
    ----------
    Guangxuan Song, Dongmei Fu, Zhongwei Qiu, Jintao Meng, Dawei Zhang: "Taylor-Sensus Network: Embracing Noise to
    Enlighten Uncertainty for Scientific Data". PAPER.md maps its equations to functions.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from taylor_sensus import TSNetRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> model = TSNetRegressor(random_state=0).fit(X[:400], y[:400])      # doctest: +SKIP
    >>> mean, std = model.predict(X[400:], return_std=True)               # doctest: +SKIP
    >>> low, high = model.predict_interval(X[400:], coverage=0.9)         # doctest: +SKIP
    >>> print(model.noise_budget(X[400:]))                                # doctest: +SKIP
    """

    def __init__(
        self,
        members: int = DEFAULTS.members,
        width: int | None = DEFAULTS.width,
        depth: int = DEFAULTS.depth,
        activation: str = DEFAULTS.activation,
        embedding: str = DEFAULTS.embedding,
        epochs: int = DEFAULTS.epochs,
        batch_size: int = DEFAULTS.batch_size,
        learning_rate: float = DEFAULTS.learning_rate,
        dropout: float = DEFAULTS.dropout,
        training: str = DEFAULTS.training,
        loss: str = DEFAULTS.loss,
        combination: str = DEFAULTS.combination,
        prior: Any = DEFAULTS.prior,
        contrast: str = DEFAULTS.contrast,
        density: bool = DEFAULTS.density,
        kernel: bool = DEFAULTS.kernel,
        X_err_kind: Any = DEFAULTS.X_err_kind,
        positive: bool = DEFAULTS.positive,
        details: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
        time_limit: float | None = None,
    ) -> None:
        self.members = members
        self.width = width
        self.depth = depth
        self.activation = activation
        self.embedding = embedding
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.dropout = dropout
        self.training = training
        self.loss = loss
        self.combination = combination
        self.prior = prior
        self.contrast = contrast
        self.density = density
        self.kernel = kernel
        self.X_err_kind = X_err_kind
        self.positive = positive
        self.details = details
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_err: Any = None, y_err: Any = None,
        groups: Any = None, X_val: Any = None, y_val: Any = None, X_val_err: Any = None, y_val_err: Any = None,
        y_limit: Any = None, client: Any = None, resume: str | PathLike[str] | None = None,
    ) -> TSNetRegressor:  # fmt: skip
        """Fit to a table; y may have several columns, and cells of X may be missing (NaN).

        Errors are declared as standard deviations in the unit of their column: a number for all, a dict by column name,
        one number a column (of X) or row (of y), or one a cell; NaN where unknown (then learned), 0 where exact.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Features: numbers, and in tables also words (categories). Missing cells are filled in and their noise is
            accounted for. Values of uncertainties, pint and astropy bring their errors and units along.
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            Targets, in any unit. None may be missing.
        sample_weight : array-like, (rows,), optional
            Weight of each row, 1 by default. A weight of 2 is the same as the row written twice, 0 leaves it out.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors of X. Where errors of a row go together: an array of covariance matrices, `(rows, columns,
            columns)`, or one larger with the target's error last; the law behind readings takes them into account.
        y_err : float, dict, Series, DataFrame or array-like, optional
            Declared errors of y.
        groups : Series or array-like, (rows,), optional
            The batch, sample, instrument or mixture of each row; None or NaN where there is none. Rows of a group are
            never learned from and held out at the same time, and where unseen groups gain from it, each group has an
            intercept of its own. X_val is taken to be of new groups.
        X_val : DataFrame or array-like, optional
            Rows for stopping and calibration, in place of held-out folds inside.
        y_val : Series, DataFrame or array-like, optional
            Their targets.
        X_val_err : float, dict, DataFrame or array-like, optional
            Declared errors of X_val; where X_err is a number or a dict of numbers, the same by default.
        y_val_err : float, dict, Series, DataFrame or array-like, optional
            Declared errors of y_val; where y_err is a number or a dict of numbers, the same by default.
        y_limit : array-like, (rows,), optional
            -1 (or "below") where y is only known to lie below the number that is given, 1 ("above") where above it, 0
            where it was measured: a censored target. Such rows count by the probability of their side of the bound.
        client : dask.distributed.Client, optional
            A Dask cluster whose workers train the members; the model is the same. Needs the extra ``[distributed]``.
        resume : path, optional
            A folder for checkpoints, as in `fit_dataset`.

        Returns
        -------
        TSNetRegressor
            The estimator itself, fitted.
        """
        settings = resolve({name: getattr(self, name) for name in CONSTRUCTOR}, self.details)
        check_jobs(self.n_jobs)
        X, X_err = unpacked(X, X_err, "X")
        y, y_err = unpacked(y, y_err, "y")
        X_val, X_val_err = unpacked(X_val, X_val_err, "X_val")
        y_val, y_val_err = unpacked(y_val, y_val_err, "y_val")
        table, names = self._learn_table(X, y, sample_weight, settings)
        check_target_units(names.targets, y_val)
        table = with_limits(with_errors(table, names, X, y, X_err, y_err, ""), y_limit)
        if table.x_err is not None:
            warn_of_units(table.x_err, table.x, [part for c in names.columns for part in c.parts])
        if table.y_err is not None:
            warn_of_targets(table.y_err, table.y, names.targets)
        warn_of_empty_columns(table.x, names.columns)
        if settings.positive and (table.y < 0).any():
            raise DataError(f"positive=True, but {int((table.y < 0).sum())} values of y are negative")
        if groups is not None:
            code, group_names = learn_groups(groups, len(table.x), row_index(X))
            table, names = table._replace(group=code), names._replace(groups=group_names)
        if (X_val is None) != (y_val is None):
            raise DataError("X_val and y_val belong together: give both or neither")
        if X_val is None and not (X_val_err is None and y_val_err is None):
            raise DataError("X_val_err and y_val_err are errors of X_val and y_val, which are not given")
        validation = None
        if X_val is not None:
            validation = self._validation_table(X_val, y_val, table.y, names, settings)
            X_val_err = X_err if X_val_err is None and same_for_all_rows(X_err) else X_val_err
            y_val_err = y_err if y_val_err is None and same_for_all_rows(y_err) else y_val_err
            validation = with_errors(validation, names, X_val, y_val, X_val_err, y_val_err, "_val")
        kept, seed = None, None
        if resume is not None:
            from taylor_sensus.storage.checkpoints import CheckpointFolder, digest, fingerprint

            kept = CheckpointFolder(resume)
            seed = self._seed(kept.fingerprint())
            kept.open({**fingerprint(settings, seed), "data": digest(names, table, validation)})
        self._fit(table, validation, names, settings, client=client, seed=seed, kept=kept)
        self.fitted_ = with_row_names(self.fitted_, row_index(X))
        return self

    def fit_dataset(
        self, source: str | PathLike[str], target: str | Sequence[str], *, drop: Sequence[str] | str = (),
        client: Any = None, resume: str | PathLike[str] | None = None,
    ) -> TSNetRegressor:  # fmt: skip
        """Fit to Parquet files of any size, in bounded memory.

        One pass finds exact statistics and draws a random sample of 32,768 rows, from which Gaussian process, noise and
        calibration are learned as in `fit`; the means are trained on mini-batches from all files. With no more rows
        than that it is the same as `fit`. Declared errors, weights and priors of your own are not possible here, and
        only rows of the sample can count less as possible typing errors. Several processes fit together if all of them
        call `taylor_sensus.distributed.initialize` first, and then this.

        Parameters
        ----------
        source : path
            A Parquet file, a folder with such files, or a data set partitioned by folders such as ``year=2024``.
        target : str or list of str
            Columns to predict.
        drop : list of str, optional
            Columns that are neither features nor targets, such as identifiers.
        client : dask.distributed.Client, optional
            As in `fit`; the workers must be able to read the files, and to write to the folder of `resume`.
        resume : path, optional
            A folder for checkpoints, a file for each network at most. The same call with the same folder goes on where
            it was stopped, to the same model.

        Returns
        -------
        TSNetRegressor
            The estimator itself, fitted.
        """
        from taylor_sensus.out_of_core.fit import open_files_to_fit

        settings = resolve({name: getattr(self, name) for name in CONSTRUCTOR}, self.details)
        check_jobs(self.n_jobs)
        if settings.training != "staged" or callable(settings.prior) or settings.interval_fits:
            raise SettingError(
                'fit_dataset needs training="staged", one of the built-in priors and no interval_fits; '
                "with others, fit on a sample of the rows"
            )
        from taylor_sensus.storage.checkpoints import CheckpointFolder, fingerprint

        processes = None
        if "jax" in sys.modules:  # `taylor_sensus.distributed.initialize` has loaded it where processes train together
            from taylor_sensus.fit.processes import Processes

            processes = Processes.found()
        if processes is not None and client is not None:
            raise SettingError("client sends members to Dask's workers, but these processes train together: not both")
        kept = None if resume is None else CheckpointFolder(resume)
        seed = self._seed(None if kept is None else kept.fingerprint())
        if processes is not None:
            (first,) = processes.of_first([np.array(seed)])
            seed = int(first)
        files = open_files_to_fit(source, target, drop, seed)
        if kept is not None and (processes is None or processes.rank == 0):
            kept.open({**fingerprint(settings, seed), "files": files.source.files, "targets": files.targets,
                       "features": files.features})  # fmt: skip
        X, y = files.table(one_target=isinstance(target, str))
        table, names = self._learn_table(X, y, None, settings)
        if files.sample_is_all:
            warn_of_empty_columns(table.x, names.columns)
            self._fit(table, None, names, settings, client=client, seed=seed, kept=kept)
            self.fitted_ = with_row_names(self.fitted_, row_index(X))
            return self
        rows = files.rows(names, processes=1 if processes is None else processes.count)
        self._fit(table, None, names, settings, source=rows, client=client, seed=seed, kept=kept, processes=processes)
        self.fitted_ = files.in_the_data_set(self.fitted_)
        return self

    def _fit(
        self, table: EncodedTable, validation: EncodedTable | None, names: Names, settings: Settings,
        before: FittedModel | None = None, source: RowSource | None = None, client: Any = None,
        seed: int | None = None, kept: Checkpoints | None = None, processes: Processes | None = None,
    ) -> None:  # fmt: skip
        if seed is None:
            seed = self._seed(None if before is None else {"seed": before.fit_summary.seed})
        from taylor_sensus.distributed.workers import dask_workers
        from taylor_sensus.fit.means import stage_runs
        from taylor_sensus.fit.members import may_compile
        from taylor_sensus.fit.recipe import fit_model

        if may_compile(settings, len(table.x), streamed=source is not None):
            from taylor_sensus.storage.compilation import ready_to_compile

            ready_to_compile()
        if self.time_limit is not None:
            settings = self._within_limit(table, settings)
        todo = partial(
            fit_model, table, validation, names, settings, seed=seed, n_jobs=self.n_jobs, before=before, source=source,
            workers=dask_workers(client), kept=kept, processes=processes,
        )  # fmt: skip
        if self.verbose or has_listener():
            runs = stage_runs(settings, len(table.x), table.x.shape[1])
            with TrainingProgress(runs, epochs=settings.epochs, show=self.verbose) as progress:
                self.fitted_ = todo(progress=progress)
        else:
            self.fitted_ = todo(progress=None)
        if self.time_limit is not None:
            summary = replace(self.fitted_.fit_summary, time_limit=float(self.time_limit))
            self.fitted_ = replace(self.fitted_, fit_summary=summary)

    def _within_limit(self, table: EncodedTable, settings: Settings) -> Settings:
        from taylor_sensus.fit.time_limit import settings_within

        limit = self.time_limit
        if isinstance(limit, bool) or not isinstance(limit, Real) or not 0 < float(limit) < math.inf:
            raise SettingError(f"time_limit must be a number of seconds above 0, or None; got {limit!r}")
        if settings.training != "staged":
            raise SettingError("time_limit goes with training='staged' only; leave it out in the paper's mode")
        (rows, features), targets = table.x.shape, table.y.shape[1]
        return settings_within(float(limit), rows, features, targets, settings, self.n_jobs)

    def _seed(self, before: dict[str, Any] | None) -> int:
        """As `random_state` says; if it says nothing, that of a fit before."""
        known = None if before is None or self.random_state is not None else before.get("seed")
        return int(check_random_state(self.random_state).randint(2**31 - 1)) if known is None else int(known)

    def update(self, table: Any) -> TSNetRegressor:
        """Fit again with the results of a filled form (see `suggest`) added to the training rows.

        What it took long to choose is taken over from the fit before, so that this is quicker. Validation rows are not
        known any more.

        Parameters
        ----------
        table : Suggestions, DataFrame, path or FilledRows
            The form: what `suggest` gave, filled in, as it is, as a table, or as a file, or its rows as
            `taylor_sensus.suggest.read_filled` has read them. Rows without a result, and
            rows whose status says that they failed or are only planned, are left out.

        Returns
        -------
        TSNetRegressor
            The estimator itself, fitted to the old and the new rows.
        """
        from taylor_sensus.suggest import FilledRows, read_filled

        check_is_fitted(self, "fitted_")
        fitted: FittedModel = self.fitted_
        if fitted.rows is None:
            raise DataError(
                "this model does not hold its training rows (the table was very large, or it was saved with "
                "keep_rows=False); fit again on the old and the new rows together"
            )
        if callable(fitted.settings.prior):
            raise SettingError("a model with a prior of your own cannot be updated; fit again on all rows")
        new = table if isinstance(table, FilledRows) else read_filled(self, table)
        if not len(new.X):
            raise DataError("no row of the form has a result yet; fill in the result column of the rows that are done")
        named = hasattr(self, "feature_names_in_")  # else the form made up the names
        x, _ = self._encode(new.X if named else new.X.to_numpy(), fitted.columns, "the form")
        names = Names(fitted.columns, fitted.target_names, fitted.one_dimensional, fitted.group_names)
        added = EncodedTable(x, read_targets(new.y, "the result").values, np.ones(len(x)))
        added = with_errors(added, names, new.X, new.y, new.X_err, new.y_err, "")
        added = added._replace(
            x_err=carried_over(fitted.rows.x_err, added.x_err, added.x),
            y_err=carried_over(fitted.rows.y_err, added.y_err, added.y),
        )
        self._fit(joined(fitted.rows, added), None, names, fitted.settings, before=fitted)
        return self

    def recalibrate(self, X: Any, y: Any, *, X_err: Any = None, y_err: Any = None) -> TSNetRegressor:
        """Adjust the error bars to new rows, such as those of another instrument, without a new fit.

        Means stay as they are. The learned noise takes the size that the new rows show, and intervals their tails;
        what is declared, and what too little data leaves open, is not rescaled. The summary then is of these rows.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit, at least 10, which the model was not fitted on.
        y : Series, DataFrame or array-like, (rows,) or (rows, targets)
            What was measured there.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `fit`; by default inputs are taken to be as noisy as in training.
        y_err : float, dict, Series, DataFrame or array-like, optional
            Declared measuring error of y.

        Returns
        -------
        TSNetRegressor
            The estimator itself, with other error bars.
        """
        from taylor_sensus.fit.recalibrate import recalibrated

        query, _ = self._query(X, X_err, y_err)
        values = read_targets(y).values
        if values.shape != (len(query.x), len(self.fitted_.target_names)):
            raise DataError(
                f"y has {values.shape[0]} rows and {values.shape[1]} targets; X has {len(query.x)} rows, and the model "
                f"{len(self.fitted_.target_names)} targets"
            )
        self.fitted_ = recalibrated(self.fitted_, query, values, self.n_jobs)
        return self

    def sample_functions(self, X: Any, n: int = 1, *, random_state: Any = None) -> np.ndarray:
        """Draw the underlying function at all rows together, without the noise of measurements.

        From the draws comes the error of whatever is calculated from several rows: a slope, a mean, an optimum. At each
        row they scatter by `Prediction.epistemic`.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit, 5,000 at most.
        n : int, default=1
            How many functions.
        random_state : int, Generator or None, default=None
            The same integer gives the same functions.

        Returns
        -------
        ndarray, (n, rows) or (n, rows, targets)
            Values of the functions, in the target's unit.
        """
        from taylor_sensus.suggest.functions import sample_functions

        check_is_fitted(self, "fitted_")
        return sample_functions(self, X, n, random_state)

    def suggest(
        self, candidates: Any = None, n: int = 8, goal: Any = "learn", *, target: str | None = None,
        bounds: Any = None, constraints: Any = (), pending: Any = None, diversity: float = 1.0,
        random_state: Any = None,
    ) -> Suggestions:  # fmt: skip
        """Which rows to measure next, and why: a table that is also the form to fill in for `update`.

        Parameters
        ----------
        candidates : DataFrame, array-like or dict, optional
            A table of rows to choose from, or a space: a dictionary by column of ``(low, high)`` for numbers, a list of
            levels or categories, or one fixed value.
        n : int, default=8
            How many rows are wanted, 1000 at most.
        goal : {"learn", "max", "min"} or ("target", value), default="learn"
            "learn": rows that lower the model's uncertainty about all candidates most. The others: rows that may have a
            higher or lower underlying value than the best so far, or one nearer to the value.
        target : str, optional
            Which target is meant, if the model has several.
        bounds : dict, optional
            A space, if there are no candidates; columns that are not named go from the smallest to the largest value
            of the training rows. With a table of candidates ``(low, high)`` by column.
        constraints : list of dict, optional
            What every suggestion meets; see `taylor_sensus.suggest.space.constraints`.
        pending : Suggestions, DataFrame or array-like, optional
            Rows that are being measured already: neither they nor their neighbourhood are suggested.
        diversity : float, default=1.0
            How much each suggestion takes the others of the batch into account: 1 as if measured, 0 not at all.
        random_state : int, RandomState or None, default=None
            The same integer gives the same suggestions.

        Returns
        -------
        Suggestions
            The form, with predictions, advice for each row, and what measuring the batch promises.
        """
        from taylor_sensus.suggest import suggest

        return suggest(
            self, candidates, n, goal, target=target, bounds=bounds, constraints=constraints, pending=pending,
            diversity=diversity, random_state=random_state,
        )  # fmt: skip

    def predict(self, X: Any, return_std: bool = False, *, X_err: Any = None, groups: Any = None) -> Any:
        """The mean for each row, and with `return_std` its total standard deviation too.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit; cells may be missing.
        return_std : bool, default=False
            Whether to give the standard deviation too.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `fit`; by default inputs are taken to be as noisy as in training.
        groups : Series or array-like, (rows,), optional
            The group of each row, as in `fit`: a known group has its own intercept. By default all are of new groups.

        Returns
        -------
        ndarray, or a pair of ndarrays
            Mean, and with `return_std` also the standard deviation, `(rows,)` or `(rows, targets)`, in the unit of y.
        """
        prediction = self.predict_distribution(X, X_err=X_err, groups=groups)
        return (prediction.mean, prediction.std) if return_std else prediction.mean

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, X_err: Any = None, groups: Any = None) -> float:
        """Share of the variance of y that the mean explains (R²), averaged over the targets.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit.
        y : Series, DataFrame or array-like
            What was measured.
        sample_weight : array-like, (rows,), optional
            Weight of each row, 1 by default.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `fit`.
        groups : Series or array-like, (rows,), optional
            The group of each row, as in `fit`: a known group has its own intercept. By default all are of new groups.

        Returns
        -------
        float
            1 is perfect, 0 no better than a constant.
        """
        predicted = self.predict(X, X_err=X_err, groups=groups)
        y = unpacked(y, None, "y").table
        check_target_units(self.fitted_.target_names, y)
        return float(r2_score(y, predicted, sample_weight=sample_weight))

    def predict_interval(
        self, X: Any, coverage: float = 0.9, method: str = "conformal", *, X_err: Any = None, y_err: Any = None,
        groups: Any = None,
    ) -> Interval:  # fmt: skip
        """Bounds that hold the true value with probability `coverage`.

        "conformal" takes its width from the errors on unseen training rows and assumes nothing of the noise; where
        these are too few for any finite bound it is infinite. The errors come from `fit`, see the setting
        `interval_fits`. "gaussian" is that of `Prediction.interval`, which takes its shape from unseen rows too.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit; cells may be missing.
        coverage : float, default=0.9
            Probability, between 0 and 1.
        method : {"conformal", "gaussian"}, default="conformal"
            Where the width comes from.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `fit`; by default inputs are taken to be as noisy as in training.
        y_err : float, dict, Series, DataFrame or array-like, optional
            Declared measuring error of y; 0 leaves out the one of the fit.
        groups : Series or array-like, (rows,), optional
            The group of each row, as in `fit`: a known group has its own intercept. By default all are of new groups.

        Returns
        -------
        Interval
            Lower and upper bounds, in the target's unit.
        """
        if method not in CONFORMAL_METHODS:
            raise SettingError(f"method must be one of {', '.join(map(repr, CONFORMAL_METHODS))}, not {method!r}")
        prediction = self.predict_distribution(X, X_err=X_err, y_err=y_err, groups=groups)
        return prediction.conformal_interval(coverage) if method == "conformal" else prediction.interval(coverage)

    def attenuation(self) -> pd.Series:
        """How much flatter the regression on readings is than the law, for each column (reliability ratio).

        The slopes g of the regression on readings and f of the law at the training rows are compared: sum of g f over
        sum of f squared. 1 means that the errors of a column's readings flatten nothing. For a linear law and normal
        inputs this is the reliability ratio, the variance of the true inputs over that of the readings.

        Returns
        -------
        Series
            One number for each column that was read with declared errors, by name; of all targets together.
        """
        check_is_fitted(self, "fitted_")
        fitted: FittedModel = self.fitted_
        if fitted.law is None or fitted.law.of_settings:
            raise DataError("no column was read with a declared error: declare X_err, and see X_err_kind")
        if fitted.rows is None:
            raise DataError("the model was saved without its training rows, whose slopes are compared: fit again")
        return pd.Series(fitted.attenuation(self.n_jobs), name="attenuation")

    def noise_budget(self, X: Any, *, X_err: Any = None, groups: Any = None) -> NoiseBudget:
        """Where each row's variance comes from, in the form of a metrologist's uncertainty budget.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit; cells may be missing.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `fit`; by default inputs are taken to be as noisy as in training.
        groups : Series or array-like, (rows,), optional
            The group of each row, as in `fit`: a known group has its own intercept. By default all are of new groups.

        Returns
        -------
        NoiseBudget
            A source for each column, the system's noise, differences between groups, and too little data.
        """
        return self.predict_distribution(X, X_err=X_err, groups=groups).noise_budget()

    def predict_distribution(
        self, X: Any, *, X_err: Any = None, y_err: Any = None, groups: Any = None
    ) -> Prediction:  # fmt: skip
        """The whole prediction: mean, std, where the error comes from, intervals, samples.

        Errors are taken to be like those in training, unless `X_err` and `y_err` say otherwise.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit; cells may be missing.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `fit`: 0 for inputs that are known exactly.
        y_err : float, dict, Series, DataFrame or array-like, optional
            Declared measuring error of y; 0 leaves out the one of the fit.
        groups : Series or array-like, (rows,), optional
            The group of each row, as in `fit`: a known group has its own intercept. By default all are of new groups.

        Returns
        -------
        Prediction
            A distribution for each row.
        """
        query, index = self._query(X, X_err, y_err, groups)
        return self.fitted_.predict(query, self.n_jobs, index)

    def _query(self, X: Any, X_err: Any, y_err: Any, groups: Any = None) -> tuple[Query, pd.Index | None]:
        """Rows as a fitted model needs them, and their labels."""
        check_is_fitted(self, "fitted_")
        fitted: FittedModel = self.fitted_
        X, X_err = unpacked(X, X_err, "X")
        x, index = self._encode(X, fitted.columns, new_categories=True)
        prior = self._own_prior(X, fitted.settings, (len(x), len(fitted.target_names)))
        X_err = taken_apart(X_err, None, len(x), len(fitted.columns), len(fitted.target_names)).X_err
        query = Query(
            x,
            prior,
            read_feature_errors(X_err, fitted.columns, len(x), index=index),
            read_target_errors(y_err, fitted.target_names, len(x), index=index),
            known_codes(groups, fitted.group_names, len(x), index),
        )
        return query, index

    def summary(self) -> str:
        """Data, errors on unseen rows, calibration and warnings, as text.

        Returns
        -------
        str
            Several lines, to be printed.
        """
        check_is_fitted(self, "fitted_")
        return summary_text(self.fitted_)

    def report(
        self, X: Any = None, y: Any = None, candidates: Any = None, *, path: str | PathLike[str] | None = None,
        X_err: Any = None, data: Any = None,
    ) -> Report:  # fmt: skip
        """One self-contained page: how good, how honest, where the error comes from.

        Parameters
        ----------
        X : DataFrame, array-like or path, optional
            Rows with the columns of the fit. With the table of the fit the model is evaluated by networks
            that had not seen the row; without a table much cannot be shown. A path is the same as `path`.
        y : Series, DataFrame or array-like, optional
            What was measured at these rows. Behind a path: the same as `data`.
        candidates : DataFrame, array-like or dict, optional
            From which to suggest what to measure next; see `suggest`.
        path : path, optional
            File to which the page is written.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors of X, as in `fit`.
        data : DataFrame, (X, y) or (X, y, X_err), optional
            The same as one table with the model's columns and, where they were measured, its targets.

        Returns
        -------
        Report
            The page, and its answers as text.

        See Also
        --------
        taylor_sensus.report.make_report : The same as a function.
        """
        from taylor_sensus.report import make_report

        check_is_fitted(self, "fitted_")
        if isinstance(X, str | PathLike):
            path, data = X, y if data is None else data
        elif X is not None:
            X, X_err = unpacked(X, X_err, "X")
            data = (X, unpacked(y, None, "y").table, X_err)
        return make_report(self, path, data, candidates)

    def importance(self, X: Any, *, X_err: Any = None) -> Importance:
        """How much each column matters, for the predictions at these rows and for their errors.

        Parameters
        ----------
        X : DataFrame or array-like, (rows, columns)
            Rows with the columns of the fit, such as those of the fit.
        X_err : float, dict, DataFrame or array-like, optional
            Declared errors as in `fit`; by default inputs are taken to be as noisy as in training.

        Returns
        -------
        Importance
            A table of shares of variance, and a figure of it (`plot`).
        """
        from taylor_sensus.report.importance import importance_of

        check_is_fitted(self, "fitted_")
        X, X_err = unpacked(X, X_err, "X")
        return importance_of(self, X, X_err)

    @property
    def history_(self) -> pd.DataFrame:
        """Training history: stage, member, step, loss, validation."""
        check_is_fitted(self, "fitted_")
        return self.fitted_.history

    def save(self, path: str | PathLike[str], *, keep_rows: bool = True) -> None:
        """Write the fitted model to one file; `taylor_sensus.load` reads it back.

        The file holds the training rows (up to 2 million cells), which `update` needs; `keep_rows=False` leaves them
        out. Other parts still reveal some of them: the Gaussian process stands on training inputs.
        A file without any trace of the data there is not.

        Parameters
        ----------
        path : path
            File to write, usually ``....tsnet``; it appears whole or not at all.
        keep_rows : bool, default=True
            Whether the training rows go into the file.
        """
        from taylor_sensus.storage.model_io import save_model

        check_is_fitted(self, "fitted_")
        save_model(self, path, keep_rows)

    def _repr_html_(self) -> str:
        if hasattr(self, "fitted_"):
            return summary_html(self.fitted_)
        return super()._repr_html_inner()  # type: ignore[attr-defined]  # scikit-learn's, which has no types

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.input_tags.allow_nan = True
        return tags
