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

from taylor_sensus.compilation import use_compilation_cache
from taylor_sensus.data.columns import Column, as_frame, check_finite, encode, learn_columns
from taylor_sensus.errors import DataError
from taylor_sensus.fitted import FittedModel
from taylor_sensus.fitting import EncodedTable, Names, fit_model
from taylor_sensus.prediction import Prediction
from taylor_sensus.progress import TrainingProgress
from taylor_sensus.settings import CONSTRUCTOR, DEFAULTS, Settings, resolve
from taylor_sensus.summary import summary_html, summary_text
from taylor_sensus.training.fit import stage_runs


class TSNetRegressor(RegressorMixin, BaseEstimator):
    """Predicts a value, the noise that comes in through the features, the system's own noise, and the ignorance
    where data are sparse (the Taylor-Sensus Network).

    Parameters
    ----------
    members, width, depth, activation, embedding, epochs, batch_size, learning_rate, dropout, training, loss,
    combination, prior, contrast, density
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
        self.details = details
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> TSNetRegressor:
        """Fit to a table; y may have several columns. `X_val`, `y_val` replace the held-out folds inside."""
        settings = resolve({name: getattr(self, name) for name in CONSTRUCTOR}, self.details)
        use_compilation_cache()
        table, names = self._learn_table(X, y, sample_weight, settings)
        if (X_val is None) != (y_val is None):
            raise DataError("X_val and y_val belong together: give both or neither")
        validation = None if X_val is None else self._validation_table(X_val, y_val, names, settings)
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
        fitted: FittedModel = self.fitted_
        x, index = self._encode(X, fitted.columns)
        prior = self._own_prior(X, fitted.settings, len(fitted.target_names))
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
        return super()._repr_html_inner()  # type: ignore[attr-defined]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags

    # --- from the user's table to numbers ----------------------------------------------------------

    def _learn_table(self, X: Any, y: Any, sample_weight: Any, settings: Settings) -> tuple[EncodedTable, Names]:
        given = y
        frame = as_frame(X)
        if frame is not None and _has_text(frame):
            _check_feature_names(self, frame, reset=True)
            _check_n_features(self, frame, reset=True)
            columns = learn_columns(frame)
            x = encode(frame, columns)
            y = _checked_targets(y, len(frame))
        else:
            x, y = validate_data(
                self, X if frame is None else frame, y, multi_output=True, y_numeric=True, dtype=np.float64,
                ensure_all_finite=False, ensure_min_samples=2,
            )  # fmt: skip
            columns = tuple(Column(name, None) for name in self._names(x.shape[1]))
        check_finite(x, [p for c in columns for p in c.parts])
        y = np.asarray(y, dtype=np.float64)
        targets = _target_names(given, y)
        check_finite(y.reshape(len(y), -1), targets, "y")
        if len(x) < 2:
            raise DataError(f"n_samples={len(x)}: at least 2 rows are needed to fit")
        weight = _check_sample_weight(sample_weight, x, dtype=np.float64, ensure_non_negative=True)
        if not (weight > 0).sum() >= 2:
            raise DataError("sample_weight leaves fewer than 2 rows with a positive weight")
        names = Names(columns, targets, y.ndim == 1)
        prior = self._own_prior(X, settings, 1 if y.ndim == 1 else y.shape[1])
        return EncodedTable(x, y.reshape(len(y), -1), weight, prior), names

    def _validation_table(self, X: Any, y: Any, names: Names, settings: Settings) -> EncodedTable:
        x, _ = self._encode(X, names.columns, "X_val")
        y = _checked_targets(y, len(x))
        if (y.ndim == 1) != names.one_dimensional or y.reshape(len(y), -1).shape[1] != len(names.targets):
            raise DataError(f"y_val must have the shape of y: {len(names.targets)} target(s), not {y.shape}")
        y = y.reshape(len(y), -1)
        check_finite(y, names.targets, "y_val")
        return EncodedTable(x, y, np.ones(len(x)), self._own_prior(X, settings, y.shape[1]))

    def _encode(self, X: Any, columns: tuple[Column, ...], what: str = "X") -> tuple[np.ndarray, pd.Index | None]:
        """Rows as numbers in the order of the fitted columns, and the table's row labels."""
        frame = as_frame(X)
        if any(c.categories is not None for c in columns):
            if frame is None:
                raise DataError(
                    f"{what} must be a table with named columns, because the model was fitted on text columns"
                )
            _check_feature_names(self, frame, reset=False)
            _check_n_features(self, frame, reset=False)
            x = encode(frame, columns)
        else:
            if frame is not None and _has_text(frame):
                _check_feature_names(self, frame, reset=False)
                _check_n_features(self, frame, reset=False)
                encode(frame, columns)  # raises, naming the cells that are not numbers
            x = validate_data(
                self, X if frame is None else frame, reset=False, dtype=np.float64, ensure_all_finite=False
            )
        check_finite(x, [p for c in columns for p in c.parts], what)
        return x, None if frame is None else frame.index

    def _names(self, count: int) -> list[str]:
        return [str(n) for n in getattr(self, "feature_names_in_", [f"x{i}" for i in range(count)])]

    def _own_prior(self, X: Any, settings: Settings, targets: int) -> np.ndarray | None:
        """The user's prior at the rows of X, `(rows, targets)`, or None for the built-in ones."""
        if not callable(settings.prior):
            return None
        values = np.asarray(settings.prior(X), dtype=np.float64)
        values = values.reshape(len(values), -1) if values.ndim else values
        if values.ndim != 2 or values.shape[1] != targets or not np.isfinite(values).all():
            raise DataError(
                f"the prior must give one finite number for each row and target, here {targets} column(s); "
                f"it gave an array of shape {values.shape}"
            )
        return values


def _has_text(frame: pd.DataFrame) -> bool:
    """Whether some column is neither numeric nor boolean."""
    return not all(pd.api.types.is_numeric_dtype(d) or pd.api.types.is_bool_dtype(d) for d in frame.dtypes)


def _target_names(given: Any, y: np.ndarray) -> tuple[str, ...]:
    """The names of the target columns as given, or y, y0, y1, ..."""
    if isinstance(given, pd.Series):
        return (str(given.name) if given.name is not None else "y",)
    frame = as_frame(given)
    if frame is not None:
        return tuple(str(c) for c in frame.columns)
    return ("y",) if y.ndim == 1 or y.shape[1] == 1 else tuple(f"y{i}" for i in range(y.shape[1]))


def _checked_targets(y: Any, rows: int) -> np.ndarray:
    """Targets as floats, with errors that name the row."""
    frame = as_frame(y)
    if frame is None:
        frame = pd.DataFrame(y if isinstance(y, pd.Series) else np.asarray(y))
    values = encode(frame, tuple(Column(str(c), None) for c in frame.columns))
    if len(values) != rows:
        raise DataError(f"X has {rows} rows and y has {len(values)}; they must match row by row")
    return values[:, 0] if np.ndim(y) == 1 else values
