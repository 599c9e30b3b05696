"""A fitted estimator to a model file and back: what is in the header, what is an array, and checking both."""

from __future__ import annotations

from dataclasses import fields
from io import StringIO
from os import PathLike
from typing import Any, NamedTuple

import jax
import numpy as np
import pandas as pd

from taylor_sensus._version import __version__
from taylor_sensus.errors import ModelFileError, SettingError, TaylorSensusError
from taylor_sensus.fit.history import COLUMNS
from taylor_sensus.fit.initial import Shape, new_block
from taylor_sensus.fitted import EncodedTable, FittedModel, HeldOut
from taylor_sensus.model.declared_errors import DefaultErrors
from taylor_sensus.model.density import DensityPerception
from taylor_sensus.model.ensemble import Ensemble, FamiliarityScale, ProcessShare, stacked
from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessNumbers, hyper_parameters
from taylor_sensus.model.imputation import MOST_COLUMNS, Imputer
from taylor_sensus.model.repeats import Repeats
from taylor_sensus.model.scaling import Scaler
from taylor_sensus.model.trend import Trend
from taylor_sensus.regressor import TSNetRegressor
from taylor_sensus.settings import CONSTRUCTOR, DEFAULTS, Settings
from taylor_sensus.storage.container import ModelFile, read_model_file, write_model_file
from taylor_sensus.storage.summary_json import summary_from_json, summary_to_json
from taylor_sensus.storage.upgrade import LAYOUT, upgraded
from taylor_sensus.tables.columns import Column


def save_model(model: TSNetRegressor, path: str | PathLike[str], keep_rows: bool = True) -> None:
    """Write the fitted estimator; a prior that is a Python function cannot be stored."""
    fitted: FittedModel = model.fitted_
    if callable(fitted.settings.prior):
        raise SettingError(
            "a model whose prior is a Python function cannot be saved: fit with prior='ridge' or 'mean', "
            "or keep the function and the table and fit again"
        )
    parts = fitted.ensemble
    arrays = {
        "center": fitted.scaler.center,
        "scale": fitted.scaler.scale,
        "target_center": fitted.scaler.target_center,
        "target_scale": fitted.scaler.target_scale,
        "trend.slope": fitted.trend.slope,
        "trend.intercept": fitted.trend.intercept,
        "prior_variance": parts.prior_variance,
        "noise_scale": parts.noise_scale,
        "imputed_scale": np.array(fitted.imputed_scale),
        "curved": fitted.curved.astype(np.uint8),
        **_prefixed("default_errors", fitted.default_errors),
        **_prefixed("imputer", fitted.imputer),
        **_prefixed("held_out", fitted.held_out),
        **({} if fitted.left_out_scores is None else {"left_out_scores": fitted.left_out_scores}),
        **_prefixed("rows", fitted.rows if keep_rows else None),
        **_named_leaves("blocks", parts.blocks),
        **_named_leaves("densities", parts.densities),
        **_process_arrays(parts.process_share),
        **_prefixed("repeats", parts.repeats),
    }
    if parts.familiarity is not None:
        arrays |= {"familiarity.level": parts.familiarity.level, "familiarity.spread": parts.familiarity.spread}
    optional = {"process": parts.process_share, "repeats": parts.repeats, "familiarity": parts.familiarity}
    header = {
        "kind": "TSNetRegressor",
        "layout": LAYOUT,
        "written_by": __version__,
        "settings": {f.name: _plain(getattr(fitted.settings, f.name)) for f in fields(Settings)},
        "columns": [[c.name, None if c.categories is None else list(c.categories)] for c in fitted.columns],
        "named_columns": hasattr(model, "feature_names_in_"),
        "targets": list(fitted.target_names),
        "one_dimensional": fitted.one_dimensional,
        "parts": [name for name, part in optional.items() if part is not None],
        "fit_summary": summary_to_json(fitted.fit_summary),
        "history": fitted.history.to_csv(index=False),
    }
    write_model_file(path, header, {name: np.asarray(a) for name, a in arrays.items()})


def load_model(path: str | PathLike[str]) -> TSNetRegressor:
    """Read an estimator that was saved with `TSNetRegressor.save`; ready to predict.

    Nothing in the file is run: it holds numbers and text. A file that is damaged, of another kind, or written by a
    newer version is refused with `ModelFileError`.

    Parameters
    ----------
    path : path
        File that `save` wrote.

    Returns
    -------
    TSNetRegressor
        The fitted estimator.
    """
    content = read_model_file(path)
    try:
        return _restore(content)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, TaylorSensusError) as problem:
        raise ModelFileError(
            f"{path} does not hold a model that this version can read ({problem}). "
            "Fit and save the model again, or use the version that wrote it."
        ) from problem


def _restore(content: ModelFile) -> TSNetRegressor:
    if content.header["kind"] != "TSNetRegressor":
        raise ModelFileError(f"the file holds a {content.header['kind']}")
    header, arrays = upgraded(content.header, content.arrays)
    values = {**header["settings"], "frequency_multiples": tuple(header["settings"]["frequency_multiples"])}
    settings = Settings(**values)
    columns = tuple(Column(name, None if c is None else tuple(c)) for name, c in header["columns"])
    scaler = Scaler(*[arrays[n] for n in ("center", "scale", "target_center", "target_scale")])
    targets = len(header["targets"])
    shape = Shape(sum(len(c.parts) for c in columns), targets, scaler.center, scaler.scale)
    scaler = _of_shape(scaler, Scaler(*[np.zeros(n) for n in (shape.features,) * 2 + (targets,) * 2]))
    _check_room(shape, settings, arrays)
    block = new_block(shape, settings, np.random.default_rng(0), 0.0, 0.0)
    members = settings.members
    landmarks = arrays["densities.landmarks.value"].shape[1]
    perception = DensityPerception.initial(np.zeros((landmarks, shape.features)), landmarks, np.random.default_rng(0))
    perceptions = members if settings.training == "joint" else 1
    fitted = FittedModel(
        settings=settings,
        columns=columns,
        target_names=tuple(header["targets"]),
        one_dimensional=header["one_dimensional"],
        scaler=scaler,
        trend=_of_shape(
            Trend(arrays["trend.slope"], arrays["trend.intercept"]),
            Trend(np.zeros((shape.features, targets)), np.zeros(targets)),
        ),
        ensemble=Ensemble(
            blocks=_filled("blocks", stacked([block] * members), arrays),
            densities=_filled("densities", stacked([perception] * perceptions), arrays),
            process_share=_restore_process(arrays, shape) if "process" in header["parts"] else None,
            prior_variance=_positive(_of_shape(arrays["prior_variance"], np.zeros(targets))),
            combination=settings.combination,
            familiarity=_restore_familiarity(arrays, perceptions) if "familiarity" in header["parts"] else None,
            noise_scale=_positive(_of_shape(arrays["noise_scale"], np.zeros(targets))),
            repeats=_restore_repeats(arrays, shape) if "repeats" in header["parts"] else None,
        ),
        default_errors=_of_shape(
            DefaultErrors(*[arrays[f"default_errors.{n}"] for n in DefaultErrors._fields]),
            DefaultErrors(np.zeros(shape.features), np.zeros(shape.features), np.zeros(targets)),
        ),
        imputer=_restore_imputer(arrays, shape),
        imputed_scale=float(_positive(_of_shape(arrays["imputed_scale"], np.zeros(())))),
        curved=arrays["curved"].astype(bool).reshape(shape.features),
        held_out=_restore_held_out(arrays, shape),
        rows=_restore_rows(arrays, shape),
        fit_summary=summary_from_json(header["fit_summary"], targets),
        history=_history(header["history"]),
        left_out_scores=_restore_left_out(arrays, targets),
    )
    _positive(scaler.target_scale)
    details = {n: v for n, v in values.items() if n not in CONSTRUCTOR and v != getattr(DEFAULTS, n)}
    model = TSNetRegressor(**{n: values[n] for n in CONSTRUCTOR}, details=details or None)
    model.fitted_ = fitted
    model.n_features_in_ = len(columns)
    if header["named_columns"]:
        model.feature_names_in_ = np.array([c.name for c in columns], dtype=object)
    return model


def _process_arrays(share: ProcessShare | None) -> dict[str, np.ndarray]:
    """The numbers that make the process; its large matrix is made from them again."""
    if share is None:
        return {}
    numbers = {**share.process.numbers._asdict(), "share": share.share, "variance_factor": share.variance_factor}
    return {f"process.{name}": array for name, array in numbers.items()}


def _restore_process(arrays: dict[str, np.ndarray], shape: Shape) -> ProcessShare:
    count = len(arrays["process.centres"])
    expected = ProcessNumbers(
        np.zeros(hyper_parameters(shape.features)), np.zeros(()), np.zeros((count, shape.features)), np.zeros(count),
        np.zeros((count, shape.targets)),
    )  # fmt: skip
    numbers = _of_shape(ProcessNumbers(*[arrays[f"process.{name}"] for name in ProcessNumbers._fields]), expected)
    _positive(numbers.row_noise)
    _positive(numbers.log_range)
    if np.abs(numbers.theta).max() > 100:
        raise ModelFileError("its Gaussian process has impossible hyper-parameters")
    each = np.zeros(shape.targets)
    share, factor = (_of_shape(arrays[f"process.{n}"], each) for n in ("share", "variance_factor"))
    process = GaussianProcess(numbers)
    _of_shape(process.factor, np.zeros((count, count)))  # made here, so that a broken one is refused here
    return ProcessShare(process, share, factor)


def _restore_familiarity(arrays: dict[str, np.ndarray], perceptions: int) -> FamiliarityScale:
    level, spread = (_of_shape(arrays[f"familiarity.{n}"], np.zeros(perceptions)) for n in ("level", "spread"))
    return FamiliarityScale(level, _positive(spread))


def _restore_imputer(arrays: dict[str, np.ndarray], shape: Shape) -> Imputer:
    imputer, each = Imputer(*[arrays[f"imputer.{n}"] for n in Imputer._fields]), np.zeros(shape.features)
    square = np.zeros((shape.features,) * (2 if shape.features <= MOST_COLUMNS else 1))
    return _of_shape(imputer, Imputer(each, square, each, each))


def _restore_held_out(arrays: dict[str, np.ndarray], shape: Shape) -> HeldOut:
    held_out = HeldOut(*[arrays[f"held_out.{n}"] for n in HeldOut._fields])
    each = np.zeros((len(held_out.rows), shape.targets))
    _of_shape(held_out[2:], (each,) * 6)
    _positive(held_out.std)
    if any(part.ndim != 1 or part.dtype.kind != "i" for part in held_out[:2]) or len(held_out.fold) != len(each):
        raise ModelFileError("the places of its unseen rows are not whole numbers")
    return held_out


def _restore_left_out(arrays: dict[str, np.ndarray], targets: int) -> np.ndarray | None:
    scores = arrays.get("left_out_scores")
    return None if scores is None else _of_shape(scores, np.zeros((len(scores), targets)))


def _restore_rows(arrays: dict[str, np.ndarray], shape: Shape) -> EncodedTable | None:
    if "rows.x" not in arrays:
        return None
    table = EncodedTable(**{n: arrays[f"rows.{n}"] for n in EncodedTable._fields if f"rows.{n}" in arrays})
    count = len(table.x)
    expected = EncodedTable(
        np.zeros((count, shape.features)), np.zeros((count, shape.targets)), np.zeros(count), None,
        np.zeros((count, shape.features)), np.zeros((count, shape.targets)),
    )  # fmt: skip
    for a, b in zip(table, expected, strict=True):
        if a is not None and (b is None or a.shape != b.shape or a.dtype.kind != "f" or np.isinf(a).any()):
            raise ModelFileError("its training rows do not fit together")
    return table


def _prefixed(name: str, part: NamedTuple | None) -> dict[str, np.ndarray]:
    """The arrays of a record under its name, without those that are None."""
    return {} if part is None else {f"{name}.{n}": np.asarray(a) for n, a in part._asdict().items() if a is not None}


def _restore_repeats(arrays: dict[str, np.ndarray], shape: Shape) -> Repeats:
    count, each = len(arrays["repeats.keys"]), np.zeros(shape.targets)
    expected = Repeats(np.zeros((count, shape.features)), np.zeros((count, shape.targets)), each, each)
    repeats = _of_shape(Repeats(*[arrays[f"repeats.{name}"] for name in Repeats._fields]), expected)
    _positive(repeats.left)
    return repeats


def _history(text: str) -> pd.DataFrame:
    """The training history; numbers are parsed by Python, which finds the very same ones again."""
    table = pd.read_csv(StringIO(text), dtype=str)
    if tuple(table.columns) != COLUMNS:
        raise ModelFileError(f"its training history has the columns {list(table.columns)}")
    return table.astype({"member": int, "step": int, "loss": np.float32, "validation": np.float32})


def _check_room(shape: Shape, settings: Settings, arrays: dict[str, np.ndarray]) -> None:
    """Refuse settings that ask for larger networks than the file holds, before any memory is taken for them."""
    waves = {"periodic": settings.frequencies, "positional": settings.octaves}.get(settings.embedding, 0)
    needed = settings.members * (
        shape.features * (1 + waves) * settings.width
        + (settings.depth - 1) * settings.width**2
        + shape.features * settings.noise_width
        + (settings.noise_depth - 1) * settings.noise_width**2
    )
    stored = sum(array.size for name, array in arrays.items() if name.startswith("blocks."))
    if needed > stored:
        raise ModelFileError(f"its settings ask for at least {needed} weights, but it holds {stored}")


def _positive(array: np.ndarray) -> np.ndarray:
    if not (array > 0).all():
        raise ModelFileError("a scale is not positive")
    return array


def _named_leaves(prefix: str, tree: Any) -> dict[str, np.ndarray]:
    """All arrays of a network under readable names."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {_leaf_name(prefix, path): np.asarray(leaf) for path, leaf in leaves}


def _leaf_name(prefix: str, path) -> str:
    return prefix + jax.tree_util.keystr(path).replace("[", ".").replace("]", "")


def _filled(prefix: str, tree: Any, arrays: dict[str, np.ndarray]) -> Any:
    """A network of the expected shape with the stored arrays in it."""
    return jax.tree_util.tree_map_with_path(lambda path, leaf: _of_shape(arrays[_leaf_name(prefix, path)], leaf), tree)


def _of_shape(stored: Any, expected: Any) -> Any:
    """`stored` if every array has the expected shape and finite numbers."""
    for a, b in zip(jax.tree.leaves(stored), jax.tree.leaves(expected), strict=True):
        if a.shape != b.shape or a.dtype.kind != "f":
            raise ModelFileError(f"an array of {a.dtype} has shape {a.shape} where floats of {b.shape} are needed")
        if not np.isfinite(a).all():
            raise ModelFileError("an array holds numbers that are not finite")
    return stored


def _plain(value: Any) -> Any:
    """A setting as JSON knows it."""
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(v) for v in value] if isinstance(value, tuple | list) else value
