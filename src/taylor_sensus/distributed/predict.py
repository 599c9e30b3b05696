"""A fitted model over the partitions of a Dask data frame."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from taylor_sensus.errors import DataError, MissingExtraError, SettingError, quoted
from taylor_sensus.model.intervals import METHODS, check_coverage
from taylor_sensus.prediction import Prediction
from taylor_sensus.storage.travel import model_from_bytes, model_to_bytes
from taylor_sensus.tables.alignment import align, check_there, headers_of

if TYPE_CHECKING:
    from taylor_sensus.fitted import FittedModel

_models: dict[str, Any] = {}
_loading = threading.Lock()
"""A worker's threads share its models, and one of them reads each."""
MOST_MODELS = 4
"""Models that a worker keeps."""


class PartitionQuery(NamedTuple):
    """What is wanted of each partition; `features` are headers of the table, in the model's order."""

    features: list[str]
    keep: list[str]
    errors: float | dict[str, float | str] | None
    """By header: a number, or the header of the column that holds the errors."""
    coverage: float
    interval: str


def predict(
    model: Any, ddf: Any, *, keep: Sequence[str] = (), coverage: float = 0.9, interval: str = "conformal",
    X_err: float | Mapping[str, float | str] | None = None,
) -> Any:  # fmt: skip
    """Predict the rows of a Dask data frame, partition by partition, when they are computed.

    The model travels as the bytes of its file, once to each worker, which reads it once.

    Parameters
    ----------
    model : TSNetRegressor
        A fitted model.
    ddf : dask.dataframe.DataFrame
        Rows with the columns of the fit, in any order; units may be left out of their names.
    keep : list of str, optional
        Columns to copy, such as identifiers.
    coverage : float, default=0.9
        Probability of the intervals, between 0 and 1.
    interval : {"conformal", "gaussian"}, default="conformal"
        Where their width comes from, as in `TSNetRegressor.predict_interval`.
    X_err : float or dict, optional
        Declared errors: a number for all inputs, or by column a number or the name of the column that holds the errors.

    Returns
    -------
    dask.dataframe.DataFrame
        The kept columns and those of `Prediction.to_frame`, with the partitions and the index of `ddf`.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from taylor_sensus.distributed import predict
    >>> answers = predict(model, dd.read_parquet("s3://survey/"), keep=["id"])   # doctest: +SKIP
    >>> answers.to_parquet("s3://predicted/")                                    # doctest: +SKIP
    """
    try:
        import dask
    except ImportError as error:
        raise MissingExtraError("this needs Dask: pip install 'taylor-sensus[distributed]'") from error
    check_is_fitted(model, "fitted_")
    check_coverage(coverage)
    if interval not in METHODS:
        raise SettingError(f"interval must be {' or '.join(map(repr, METHODS))}, not {interval!r}")
    if not hasattr(ddf, "map_partitions"):
        raise DataError(
            f"expected a Dask data frame, not {type(ddf).__name__}; other tables: model.predict_distribution"
        )
    query = _query(model.fitted_, ddf._meta, keep, X_err, coverage, interval)
    meta = _with_predictions(ddf._meta[query.keep].iloc[:0], _empty(model.fitted_, coverage, ddf._meta.index[:0]))
    content = model_to_bytes(model)
    digest = hashlib.sha256(content).hexdigest()
    sent = dask.delayed(content, name=f"model-{digest}", traverse=False)  # pyright: ignore[reportPrivateImportUsage]
    return ddf.map_partitions(predict_partition, sent, digest, query, meta=meta, enforce_metadata=False)


def predict_partition(table: pd.DataFrame, content: bytes, digest: str, query: PartitionQuery) -> pd.DataFrame:
    """The predictions of one partition; what `predict` sends to workers."""
    model = _model(digest, content)
    if not len(table):
        return _with_predictions(table[query.keep], _empty(model.fitted_, query.coverage, table.index))
    names = [column.name for column in model.fitted_.columns]
    X = table[query.features].set_axis(names, axis=1)
    errors: Any = query.errors
    if isinstance(errors, dict):
        learned = dict(zip(query.features, names, strict=True))
        errors = {learned[n]: table[e].to_numpy() if isinstance(e, str) else e for n, e in errors.items()}
    prediction = model.predict_distribution(X, X_err=errors)
    conformal = query.interval == "conformal"
    bounds = prediction.conformal_interval(query.coverage) if conformal else prediction.interval(query.coverage)
    return _with_predictions(table[query.keep], prediction.to_frame(query.coverage, bounds))


def _model(digest: str, content: bytes) -> Any:
    with _loading:
        if digest not in _models:
            while len(_models) >= MOST_MODELS:
                del _models[next(iter(_models))]
            _models[digest] = model_from_bytes(content)
            _models[digest].n_jobs = 1  # the workers have the cores
        return _models[digest]


def _query(
    fitted: FittedModel, meta: pd.DataFrame, keep: Sequence[str], errors: Any, coverage: float, interval: str
) -> PartitionQuery:
    """What to predict of each partition, after refusing what cannot be predicted."""
    names = [column.name for column in fitted.columns]
    headers = [str(name) for name in meta.columns]
    renamed = align(meta, names)
    check_there([str(name) for name in renamed.columns], names, where="the data frame")
    written = dict(zip(map(str, renamed.columns), headers, strict=True))
    keep = [keep] if isinstance(keep, str) else list(keep)
    check_there(headers, keep, where="the data frame")
    if isinstance(errors, Mapping):
        named = dict(zip(headers_of(list(errors), names), errors.values(), strict=True))
        check_there(names, list(named), where="the model")
        check_there(headers, [size for size in named.values() if isinstance(size, str)], where="the data frame")
        errors = {written[name]: size for name, size in named.items()}
    return PartitionQuery([written[name] for name in names], keep, errors, coverage, interval)


def _empty(fitted: FittedModel, coverage: float, index: pd.Index) -> pd.DataFrame:
    """A prediction without rows."""
    nothing = np.zeros(0 if fitted.one_dimensional else (0, len(fitted.target_names)))
    no_rows = Prediction(nothing, nothing, nothing, nothing, np.zeros(0), fitted.target_names, index)
    return no_rows.to_frame(coverage)


def _with_predictions(kept: pd.DataFrame, predicted: pd.DataFrame) -> pd.DataFrame:
    shared = [name for name in kept.columns if name in predicted.columns]
    if shared:
        raise DataError(f"the kept column(s) {quoted(shared)} have the name of a column of the prediction; rename them")
    return pd.concat([kept, predicted], axis=1)
