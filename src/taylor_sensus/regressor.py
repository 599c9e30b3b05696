"""TSNetRegressor: the scikit-learn face. Tables, names and guesses stop here; below are arrays of one kind."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from taylor_sensus.compilation import forget_programs_if_many, use_compilation_cache
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
from taylor_sensus.errors import DataError
from taylor_sensus.fitted import FittedModel
from taylor_sensus.fitting import EncodedTable, Names, fit_model
from taylor_sensus.prediction import Prediction
from taylor_sensus.progress import TrainingProgress
from taylor_sensus.settings import CONSTRUCTOR, DEFAULTS, Settings, check_jobs, resolve
from taylor_sensus.summary import summary_html, summary_text
from taylor_sensus.training.fit import stage_runs


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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> TSNetRegressor:
        """Fit to a table; y may have several columns. `X_val`, `y_val` replace the held-out folds inside."""
        settings = resolve({name: getattr(self, name) for name in CONSTRUCTOR}, self.details)
        check_jobs(self.n_jobs)
        use_compilation_cache()
        forget_programs_if_many()
        table, names = self._learn_table(X, y, sample_weight, settings)
        if (X_val is None) != (y_val is None):
            raise DataError("X_val and y_val belong together: give both or neither")
        validation = None if X_val is None else self._validation_table(X_val, y_val, table.y, names, settings)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if self.verbose:
            runs = stage_runs(settings, len(table.x), table.x.shape[1])
            with TrainingProgress(runs, epochs=settings.epochs) as progress:
                self.fitted_ = fit_model(
                    table, validation, names, settings, seed=seed, n_jobs=self.n_jobs, progress=progress
                )
        else:
            self.fitted_ = fit_model(table, validation, names, settings, seed=seed, n_jobs=self.n_jobs, progress=None)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean for each row, and with `return_std` its total standard deviation too."""
        prediction = self.predict_distribution(X)
        return (prediction.mean, prediction.std) if return_std else prediction.mean

    def predict_distribution(self, X: Any) -> Prediction:
        """The whole prediction: mean, std, where the error comes from, intervals, samples."""
        check_is_fitted(self, "fitted_")
        use_compilation_cache()
        forget_programs_if_many()
        fitted: FittedModel = self.fitted_
        x, index = self._encode(X, fitted.columns)
        prior = self._own_prior(X, fitted.settings, (len(x), len(fitted.target_names)))
        return fitted.predict(x, prior, self.n_jobs, index)

    def summary(self) -> str:
        """Data, errors on unseen rows, calibration and warnings, as text."""
        check_is_fitted(self, "fitted_")
        return summary_text(self.fitted_)

    @property
    def history_(self) -> pd.DataFrame:
        """Training history: stage, member, step, loss, validation."""
        check_is_fitted(self, "fitted_")
        return self.fitted_.history

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one file; `taylor_sensus.load` reads it back."""
        from taylor_sensus.model_file import save_model

        check_is_fitted(self, "fitted_")
        save_model(self, path)

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
        check_finite(x, [p for c in columns for p in c.parts], index=index)
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
        check_finite(x, [p for c in columns for p in c.parts], what, index)
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
