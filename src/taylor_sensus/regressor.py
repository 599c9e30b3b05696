"""TSNetRegressor: the scikit-learn face. Tables, names and guesses stop here; below are arrays of one kind."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from taylor_sensus.budget import NoiseBudget
from taylor_sensus.compilation import forget_programs_if_many, use_compilation_cache
from taylor_sensus.conformal import METHODS as CONFORMAL_METHODS
from taylor_sensus.conformal import check_coverage, half_widths, is_finite
from taylor_sensus.cross_fitting import MOST_ROWS as MOST_REFITTED
from taylor_sensus.cross_fitting import PARTS, left_out_errors
from taylor_sensus.data.alignment import align
from taylor_sensus.data.columns import (
    Column,
    as_frame,
    check_finite,
    check_names,
    encode,
    has_text,
    learn_columns,
    read_targets,
    without_dust,
)
from taylor_sensus.data.declared import read_feature_errors, read_target_errors, warn_of_units
from taylor_sensus.errors import DataError, SettingError
from taylor_sensus.fitted import Asked, EncodedTable, FittedModel
from taylor_sensus.fitting import Names, fit_model
from taylor_sensus.prediction import Interval, Prediction
from taylor_sensus.progress import PartsProgress, TrainingProgress
from taylor_sensus.settings import CONSTRUCTOR, DEFAULTS, Settings, check_jobs, resolve
from taylor_sensus.summary import summary_html, summary_text
from taylor_sensus.training.fit import stage_runs

if TYPE_CHECKING:
    from taylor_sensus.report import Report
    from taylor_sensus.suggest import Suggestions


class TSNetRegressor(RegressorMixin, BaseEstimator):
    """Predicts a value, the noise that comes in through the features, the system's own noise, and the ignorance
    where data are sparse (the Taylor-Sensus Network).

    Parameters
    ----------
    members, width, depth, activation, embedding, epochs, batch_size, learning_rate, dropout, training, loss,
    combination, prior, contrast, density, kernel
        See `taylor_sensus.settings.Settings`, which says for each what it means and where its default comes from.
    details : dict, optional
        Any other field of `Settings` by name.
    n_jobs : int, optional
        Members trained at the same time; all cores by default. The result does not depend on it.
    random_state : int, RandomState or None
        The same integer on the same machine gives the same model, bit for bit.
    verbose : bool
        Show progress while fitting.

    Examples
    --------
    >>> model = TSNetRegressor(random_state=0).fit(X, y)           # doctest: +SKIP
    >>> mean, std = model.predict(X, return_std=True)              # doctest: +SKIP
    """

    def __init__(
        self,
        members: int = DEFAULTS.members,
        width: int = DEFAULTS.width,
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
        details: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
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
        self.details = details
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_err: Any = None, y_err: Any = None,
        X_val: Any = None, y_val: Any = None, X_val_err: Any = None, y_val_err: Any = None,
    ) -> TSNetRegressor:  # fmt: skip
        """Fit to a table; y may have several columns, and cells of X may be missing (NaN).

        Parameters
        ----------
        X_err, y_err
            Declared errors: standard deviations in the unit of their column. A number for all, a dict by column name,
            one number a column (of X) or row (of y), or one a cell; NaN where unknown (then learned), 0 where exact.
        X_val, y_val
            Rows for stopping and calibration, in place of held-out folds inside; X_val_err and y_val_err are their
            errors (where X_err and y_err are numbers or a dict of numbers, the same by default).
        """
        settings = resolve({name: getattr(self, name) for name in CONSTRUCTOR}, self.details)
        check_jobs(self.n_jobs)
        use_compilation_cache()
        forget_programs_if_many()
        table, names = self._learn_table(X, y, sample_weight, settings)
        table = _with_errors(table, names, X, y, X_err, y_err, "")
        if table.x_err is not None:
            warn_of_units(table.x_err, table.x, [part for c in names.columns for part in c.parts])
        if (X_val is None) != (y_val is None):
            raise DataError("X_val and y_val belong together: give both or neither")
        if X_val is None and not (X_val_err is None and y_val_err is None):
            raise DataError("X_val_err and y_val_err are errors of X_val and y_val, which are not given")
        validation = None if X_val is None else self._validation_table(X_val, y_val, table.y, names, settings)
        if validation is not None:
            X_val_err = X_err if X_val_err is None and _same_for_all_rows(X_err) else X_val_err
            y_val_err = y_err if y_val_err is None and _same_for_all_rows(y_err) else y_val_err
            validation = _with_errors(validation, names, X_val, y_val, X_val_err, y_val_err, "_val")
        self._fit(table, validation, names, settings)
        return self

    def _fit(
        self, table: EncodedTable, validation: EncodedTable | None, names: Names, settings: Settings,
        before: FittedModel | None = None,
    ) -> None:  # fmt: skip
        if before is not None and self.random_state is None:
            seed = before.facts["seed"]
        else:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        todo = partial(fit_model, table, validation, names, settings, seed=seed, n_jobs=self.n_jobs, before=before)
        if self.verbose:
            runs = stage_runs(settings, len(table.x), table.x.shape[1])
            with TrainingProgress(runs, epochs=settings.epochs) as progress:
                self.fitted_ = todo(progress=progress)
        else:
            self.fitted_ = todo(progress=None)

    def update(self, table: Any) -> TSNetRegressor:
        """Fit again with the results of a filled form (see `suggest`) added to the training rows.

        What it took long to choose is taken over from the fit before, so that this is quicker. The rows of the form
        may be given as a table, a file, or what `suggest` gave, filled in; validation rows are not known any more.
        """
        from taylor_sensus.suggest import read_filled

        check_is_fitted(self, "fitted_")
        fitted: FittedModel = self.fitted_
        if fitted.rows is None:
            raise DataError(
                "this model does not hold its training rows (the table was very large, or it was saved with "
                "keep_rows=False); fit again on the old and the new rows together"
            )
        if callable(fitted.settings.prior):
            raise SettingError("a model with a prior of your own cannot be updated; fit again on all rows")
        new = read_filled(self, table)
        if not len(new.X):
            raise DataError("no row of the form has a result yet; fill in the result column of the rows that are done")
        x, _ = self._encode(new.X, fitted.columns, "the form")
        names = Names(fitted.columns, fitted.target_names, fitted.one_dimensional)
        added = EncodedTable(x, read_targets(new.y, "the result").values, np.ones(len(x)))
        added = _with_errors(added, names, new.X, new.y, new.X_err, new.y_err, "")
        added = added._replace(
            x_err=_carried_over(fitted.rows.x_err, added.x_err, added.x),
            y_err=_carried_over(fitted.rows.y_err, added.y_err, added.y),
        )
        self._fit(_joined(fitted.rows, added), None, names, fitted.settings, before=fitted)
        return self

    def suggest(
        self, candidates: Any = None, n: int = 8, goal: Any = "learn", *, target: str | None = None,
        bounds: Any = None, constraints: Any = (), pending: Any = None, diversity: float = 1.0,
        random_state: Any = None,
    ) -> Suggestions:  # fmt: skip
        """Which rows to measure next, and why: a table that is also the form to fill in for `update`.

        `candidates` is a table to choose from, or a space as a dict of ``(low, high)`` or levels by column. The goal is
        to "learn" most, or "max", "min" or ``("target", value)``. See `taylor_sensus.suggest.suggest`.
        """
        from taylor_sensus.suggest import suggest

        return suggest(
            self, candidates, n, goal, target=target, bounds=bounds, constraints=constraints, pending=pending,
            diversity=diversity, random_state=random_state,
        )  # fmt: skip

    def predict(self, X: Any, return_std: bool = False, *, X_err: Any = None) -> Any:
        """The mean for each row, and with `return_std` its total standard deviation too."""
        prediction = self.predict_distribution(X, X_err=X_err)
        return (prediction.mean, prediction.std) if return_std else prediction.mean

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, X_err: Any = None) -> float:
        """Share of the variance of y that the mean explains (R²), averaged over the targets."""
        return float(r2_score(y, self.predict(X, X_err=X_err), sample_weight=sample_weight))

    def predict_interval(
        self, X: Any, coverage: float = 0.9, method: str = "conformal", *, X_err: Any = None
    ) -> Interval:
        """Bounds that hold the true value with probability `coverage`.

        "conformal" takes its width from the errors on unseen training rows and assumes nothing of the noise; where
        these are too few for any finite bound it is infinite. Small tables (up to 400 rows) are fitted ten times more
        for it when it is first asked for; `save` keeps the outcome. "gaussian" is that of `Prediction.interval`.
        """
        if method not in CONFORMAL_METHODS:
            raise SettingError(f"method must be one of {', '.join(map(repr, CONFORMAL_METHODS))}, not {method!r}")
        prediction = self.predict_distribution(X, X_err=X_err)
        if method == "gaussian":
            return prediction.interval(coverage)
        widths = half_widths(self._conformal_scores(coverage), coverage)
        half = prediction.std * (widths[0] if prediction.mean.ndim == 1 else widths)
        return Interval(prediction.mean - half, prediction.mean + half)

    def _conformal_scores(self, coverage: float) -> np.ndarray:
        """Errors on unseen rows in standard deviations; of small tables by fits without them."""
        check_coverage(coverage)
        fitted: FittedModel = self.fitted_
        rows = fitted.rows
        if rows is None or len(rows.x) > MOST_REFITTED or fitted.facts["validation_rows"]:
            return fitted.held_out.error
        if not is_finite(int((rows.weight > 0).sum()), coverage):
            return fitted.held_out.error
        if fitted.left_out_error is None:
            with PartsProgress("Fits for the intervals", PARTS, show=self.verbose) as done:
                errors = left_out_errors(fitted, rows, self.n_jobs, done)
            self.fitted_ = replace(fitted, left_out_error=errors)
            return errors
        return fitted.left_out_error

    def noise_budget(self, X: Any, *, X_err: Any = None) -> NoiseBudget:
        """Where each row's variance comes from, in the form of a metrologist's uncertainty budget."""
        return self.predict_distribution(X, X_err=X_err).noise_budget()

    def predict_distribution(self, X: Any, *, X_err: Any = None, y_err: Any = None) -> Prediction:
        """The whole prediction: mean, std, where the error comes from, intervals, samples.

        Errors are taken to be like those in training. `X_err` (as in `fit`) says otherwise: 0 for inputs that are
        known exactly. `y_err=0` leaves out the declared measuring error of y.
        """
        check_is_fitted(self, "fitted_")
        use_compilation_cache()
        forget_programs_if_many()
        fitted: FittedModel = self.fitted_
        x, index = self._encode(X, fitted.columns)
        prior = self._own_prior(X, fitted.settings, (len(x), len(fitted.target_names)))
        asked = Asked(
            x,
            prior,
            read_feature_errors(X_err, fitted.columns, len(x), index=index),
            read_target_errors(y_err, fitted.target_names, len(x), index=index),
        )
        return fitted.predict(asked, self.n_jobs, index)

    def summary(self) -> str:
        """Data, errors on unseen rows, calibration and warnings, as text."""
        check_is_fitted(self, "fitted_")
        return summary_text(self.fitted_)

    def report(self, path: str | PathLike[str] | None = None, data: Any = None, candidates: Any = None) -> Report:
        """One self-contained page: how good, how honest, where the error comes from; see `taylor_sensus.report`."""
        from taylor_sensus.report import make_report

        check_is_fitted(self, "fitted_")
        return make_report(self, path, data, candidates)

    @property
    def history_(self) -> pd.DataFrame:
        """Training history: stage, member, step, loss, validation."""
        check_is_fitted(self, "fitted_")
        return self.fitted_.history

    def save(self, path: str | PathLike[str], *, keep_rows: bool = True) -> None:
        """Write the fitted model to one file; `taylor_sensus.load` reads it back.

        The file holds the training rows (up to 2 million cells), which `update` needs; `keep_rows=False` leaves them
        out. Other parts still tell some of them: the kernel part stands on training inputs, and where inputs were
        measured repeatedly their mean targets are kept. A file without any trace of the data there is not.
        """
        from taylor_sensus.model_file import save_model

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

    # --- from the user's table to numbers ----------------------------------------------------------

    def _learn_table(self, X: Any, y: Any, sample_weight: Any, settings: Settings) -> tuple[EncodedTable, Names]:
        x, columns = self._learn_features(X)
        targets = read_targets(y)
        _check_lengths(x, targets.values, "X", "y")
        weight = _weights(sample_weight, x)
        kept = np.flatnonzero(weight)
        if len(kept) < 2:
            raise DataError("sample_weight leaves fewer than 2 rows with a positive weight")
        if _all_same(x, kept) and _all_same(targets.values, kept):
            raise DataError("all rows are the same, as if n_samples=1: at least 2 different rows are needed to fit")
        names = Names(columns, targets.names, targets.one_dimensional)
        prior = self._own_prior(X, settings, targets.values.shape)
        if prior is not None:
            _check_unit(prior, targets.values, targets.names, "the prior")
        return EncodedTable(x, targets.values, weight, prior), names

    def _learn_features(self, X: Any) -> tuple[np.ndarray, tuple[Column, ...]]:
        frame = as_frame(X)
        if frame is not None:
            check_names(frame)
        if frame is not None and has_text(frame):
            _check_feature_names(self, frame, reset=True)
            _check_n_features(self, frame, reset=True)
            if len(frame) < 2:
                raise DataError(f"n_samples={len(frame)}: at least 2 rows are needed to fit")
            columns = learn_columns(frame)
            x = encode(frame, columns)
        else:
            x = self._validated(X if frame is None else frame, reset=True, ensure_min_samples=2)
            columns = tuple(Column(name, None) for name in self._names(x.shape[1]))
        index = None if frame is None else frame.index
        check_finite(x, [p for c in columns for p in c.parts], index=index, gaps=True)
        return without_dust(x), columns

    def _validation_table(self, X: Any, y: Any, fitted_y: np.ndarray, names: Names, settings: Settings) -> EncodedTable:
        x, _ = self._encode(X, names.columns, "X_val")
        targets = read_targets(y, "y_val")
        if targets.one_dimensional != names.one_dimensional or len(targets.names) != len(names.targets):
            raise DataError(
                f"y_val must have the shape of y: {len(names.targets)} target(s), "
                f"{'as a plain list' if names.one_dimensional else 'as a table'}, not {np.asarray(y).shape}"
            )
        _check_lengths(x, targets.values, "X_val", "y_val")
        _check_unit(targets.values, fitted_y, names.targets, "y_val")
        prior = self._own_prior(X, settings, targets.values.shape)
        if prior is not None:
            _check_unit(prior, fitted_y, names.targets, "the prior")
        return EncodedTable(x, targets.values, np.ones(len(x)), prior)

    def _encode(self, X: Any, columns: tuple[Column, ...], what: str = "X") -> tuple[np.ndarray, pd.Index | None]:
        """Rows as numbers in the order of the fitted columns, and the table's row labels."""
        frame = as_frame(X)
        categories = any(c.categories is not None for c in columns)
        if frame is not None:
            check_names(frame, what)
            X = frame = align(frame, [c.name for c in columns])
            if categories or has_text(frame):
                _check_feature_names(self, frame, reset=False)
                _check_n_features(self, frame, reset=False)
        if categories:
            if frame is None:
                raise DataError(
                    f"{what} must be a table with named columns, because the model was fitted on text columns"
                )
            if not len(frame):
                raise DataError(f"{what} has no rows: 0 sample(s) while a minimum of 1 is required")
            x = encode(frame, columns)
        else:
            if frame is not None and has_text(frame):
                frame = pd.DataFrame(encode(frame, columns), columns=frame.columns, index=frame.index)
            x = self._validated(X if frame is None else frame, reset=False)
        index = None if frame is None else frame.index
        check_finite(x, [p for c in columns for p in c.parts], what, index, gaps=True)
        return without_dust(x), index

    def _validated(self, X: Any, reset: bool, **limits: Any) -> np.ndarray:
        """X as scikit-learn checks it; a text in an array is named by row and column."""
        try:
            kinds = [np.float64, np.float32]  # single precision is kept: a large table is not copied
            return validate_data(self, X, reset=reset, dtype=kinds, ensure_all_finite=False, **limits)
        except ValueError:
            cells = _text_cells(X)
            if cells is not None:
                try:
                    encode(cells, [Column(str(name), None) for name in cells.columns])
                except DataError as problem:
                    raise DataError(f"{problem} (Columns of categories must come in a DataFrame.)") from None
            raise

    def _names(self, count: int) -> list[str]:
        return [str(n) for n in getattr(self, "feature_names_in_", [f"x{i}" for i in range(count)])]

    def _own_prior(self, X: Any, settings: Settings, shape: tuple[int, ...]) -> np.ndarray | None:
        """The user's prior at the rows of X, of `shape` (rows, targets), or None for the built-in ones."""
        if not callable(settings.prior):
            return None
        try:
            values = read_targets(settings.prior(X), "the prior").values
        except DataError as problem:
            raise DataError(f"the prior must give a finite number for each row and target: {problem}") from None
        if values.shape != shape:
            raise DataError(
                f"the prior must give a finite number for each row and target, an array of shape {shape}; "
                f"it gave one of shape {values.shape}"
            )
        return values


def _with_errors(
    table: EncodedTable, names: Names, X: Any, y: Any, X_err: Any, y_err: Any, suffix: str
) -> EncodedTable:
    """The table with the declared errors of its cells."""
    rows, x_index, y_index = len(table.x), _row_labels(X), _row_labels(y)
    return table._replace(
        x_err=read_feature_errors(X_err, names.columns, rows, f"X{suffix}_err", f"X{suffix}", x_index),
        y_err=read_target_errors(y_err, names.targets, rows, f"y{suffix}_err", f"y{suffix}", y_index),
    )


def _joined(one: EncodedTable, other: EncodedTable) -> EncodedTable:
    """The rows of both; what only one declares is unknown in the other."""
    parts = {}
    for name, a, b in zip(EncodedTable._fields, one, other, strict=True):
        if a is None and b is None:
            continue
        shape = "x" if name == "x_err" else "y"
        a = np.full(getattr(one, shape).shape, np.nan) if a is None else a
        b = np.full(getattr(other, shape).shape, np.nan) if b is None else b
        parts[name] = np.concatenate([a, b])
    return EncodedTable(**parts)


def _carried_over(old: np.ndarray | None, new: np.ndarray | None, cells: np.ndarray) -> np.ndarray | None:
    """Errors of new cells; those that were declared for a whole column hold for its new cells too."""
    if old is None:
        return new
    whole = np.where((old == old[0]).all(axis=0), old[0], np.nan)
    return np.where(np.isnan(new), whole, new) if new is not None else np.broadcast_to(whole, cells.shape)


def _row_labels(table: Any) -> pd.Index | None:
    frame = as_frame(table)
    if frame is not None:
        return frame.index
    return table.index if isinstance(table, pd.Series) else None


def _same_for_all_rows(errors: Any) -> bool:
    """Whether declared errors can be taken over for other rows: a number, or numbers by column name."""
    if isinstance(errors, dict):
        return all(np.ndim(value) == 0 for value in errors.values())
    return errors is not None and np.ndim(errors) == 0


def _weights(sample_weight: Any, x: np.ndarray) -> np.ndarray:
    """One weight a row; bad ones are named by their row."""
    if sample_weight is not None and np.asarray(sample_weight).ndim == 1:
        sample_weight = read_targets(sample_weight, "sample_weight").values[:, 0]
    return _check_sample_weight(sample_weight, x, dtype=np.float64, ensure_non_negative=True)


def _all_same(values: np.ndarray, kept: np.ndarray) -> bool:
    first, second = values[kept[:2]]
    return bool((first == second).all() and (values[kept] == first).all())


def _check_unit(values: np.ndarray, y: np.ndarray, names: tuple[str, ...], what: str) -> None:
    """Refuse values that lie so far from y that they must be in another unit."""
    scale = np.maximum(y.std(axis=0), np.maximum(1e-6 * np.abs(y).max(axis=0), 1e-12))
    far = np.argwhere(np.abs(values - y.mean(axis=0)) > 1e9 * scale)
    if len(far):
        row, column = far[0].tolist()
        raise DataError(
            f"{what}: row {row}, column {names[column]!r} ({values[row, column]:g}) is more than 1e9 standard "
            "deviations from y; is it in the same unit? Rows count from 0."
        )


def _check_lengths(x: np.ndarray, y: np.ndarray, x_name: str, y_name: str) -> None:
    if len(x) != len(y):
        raise DataError(f"{x_name} has {len(x)} rows and {y_name} has {len(y)}; they must match row by row")


def _text_cells(X: Any) -> pd.DataFrame | None:
    """An array or nested list that holds texts as a table, else None."""
    try:
        cells = np.asarray(X, dtype=object)
    except ValueError:
        return None
    if cells.ndim != 2 or not any(isinstance(cell, str) for cell in cells.flat):
        return None
    return pd.DataFrame(cells, columns=pd.Index([f"x{i}" for i in range(cells.shape[1])]))
