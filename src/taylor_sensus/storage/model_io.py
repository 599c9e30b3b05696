"""A fitted estimator to a model file and back: what is in the header, and which part of the model an array is of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from io import StringIO
from os import PathLike
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from taylor_sensus._version import __version__
from taylor_sensus.errors import ModelFileError, SettingError, TaylorSensusError, listed
from taylor_sensus.fit.history import COLUMNS
from taylor_sensus.fitted import FittedModel, HeldOut
from taylor_sensus.model.coordinates import FeatureLevels, are_levels
from taylor_sensus.model.declared_errors import DefaultErrors
from taylor_sensus.model.ensemble import BY_PROCESS, Ensemble, FamiliarityScale, ProcessShare
from taylor_sensus.model.gaussian_process import GaussianProcess, ProcessNumbers, hyper_parameters, prior_variances
from taylor_sensus.model.groups import GroupEffect
from taylor_sensus.model.imputation import MOST_COLUMNS, Imputer
from taylor_sensus.model.input_density import InputDensity
from taylor_sensus.model.law import Law, LawNumbers
from taylor_sensus.model.repeats import Repeats
from taylor_sensus.model.scaling import Scaler
from taylor_sensus.model.tails import Tails
from taylor_sensus.model.trees import BoostedTrees, Trees, check_trees
from taylor_sensus.model.trend import Trend
from taylor_sensus.records import EncodedTable, GroupNames
from taylor_sensus.regressor import TSNetRegressor
from taylor_sensus.settings import CONSTRUCTOR, DEFAULTS, HIGHEST, NAMES, Settings
from taylor_sensus.storage.checks import OPTIONAL, check_arrays, check_together
from taylor_sensus.storage.container import ModelFile, read_model_file, write_model_file
from taylor_sensus.storage.header import check_header, columns_of, targets_of
from taylor_sensus.storage.network_io import StoredNetworks
from taylor_sensus.storage.opening import cannot_be_read
from taylor_sensus.storage.summary_json import summary_from_json, summary_to_json
from taylor_sensus.storage.upgrade import Arrays, upgraded

Record = TypeVar("Record")
MOST_CENTRES = HIGHEST["kernel_rows"]
LEVELS = "process.levels"
MOST_STRETCHED = 1e9
"""Largest ratio between two directions of a process' coordinates."""
STEEPEST = 1e18
"""Slopes of a process, in scaled units, whose squares are numbers in single precision."""
MADE_AT_ONCE = 2000
"""Centres up to which loading makes the matrix that prediction needs, in half a second; 4,096 would take three."""


def save_model(model: TSNetRegressor, path: str | PathLike[str], keep_rows: bool = True) -> None:
    """Write the fitted estimator; a prior that is a Python function cannot be stored."""
    fitted: FittedModel = model.fitted_
    if callable(fitted.settings.prior):
        raise SettingError(
            "a model whose prior is a Python function cannot be saved: fit with prior='ridge' or 'mean', "
            "or keep the function and the table and fit again"
        )
    parts = _parts(fitted, keep_rows)
    header = {
        "kind": "TSNetRegressor",
        "written_by": __version__,
        "settings": {name: _plain(getattr(fitted.settings, name)) for name in NAMES},
        "columns": [[c.name, None if c.categories is None else list(c.categories)] for c in fitted.columns],
        "named_columns": hasattr(model, "feature_names_in_"),
        "targets": list(fitted.target_names),
        "one_dimensional": fitted.one_dimensional,
        "parts": [name for name in OPTIONAL if parts[name] is not None],
        "group_labels": [] if fitted.group_names is None else list(fitted.group_names.labels),
        "fit_summary": summary_to_json(fitted.fit_summary),
        "history": fitted.history.to_csv(index=False),
    }
    write_model_file(path, header, dict(named_arrays(parts)))


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
    return restore_model(read_model_file(path), path)


def restore_model(content: ModelFile, path: str | PathLike[str]) -> TSNetRegressor:
    """The estimator that a model file holds; `path` is only spoken of."""
    try:
        with np.errstate(all="ignore"):  # forged numbers may overflow before they are looked at
            return _restore(content)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, TaylorSensusError) as problem:
        raise cannot_be_read(path, problem) from problem
    except (MemoryError, RecursionError) as problem:
        raise cannot_be_read(path, f"it needs more memory than there is: {type(problem).__name__}") from problem


# Writing


def _parts(fitted: FittedModel, keep_rows: bool) -> dict[str, Any]:
    """All numbers of a model: trees of arrays by the name with which the names of their arrays begin."""
    ensemble = fitted.ensemble
    return {
        "scaler": fitted.scaler,
        "trend": fitted.trend,
        "default_errors": fitted.default_errors,
        "imputer": fitted.imputer,
        "imputed_scale": fitted.imputed_scale,
        "curved": fitted.curved,
        "held_out": fitted.held_out,
        "left_out_scores": fitted.left_out_scores,
        "rows": fitted.rows if keep_rows else None,
        "groups": fitted.groups,
        "blocks": ensemble.blocks,
        "densities": ensemble.densities,
        "process": _process_numbers(ensemble.process_share),
        "prior_variance": ensemble.prior_variance,
        "noise_scale": ensemble.noise_scale,
        "familiarity": None if ensemble.familiarity is None else vars(ensemble.familiarity),
        "tails": ensemble.tails,
        "trees": ensemble.trees,
        "boosted": ensemble.boosted,
        "law": None if fitted.law is None else fitted.law.numbers,
        "law_density": None if fitted.law is None else fitted.law.density,
        "repeats": ensemble.repeats,
    }


def _process_numbers(part: ProcessShare | None) -> dict[str, np.ndarray] | None:
    """Those that make the process; its large matrix is made from them again."""
    if part is None:
        return None
    return {**part.process.numbers._asdict(), "share": part.share, "variance_factor": part.variance_factor,
            "usual_odds": np.array(part.usual_odds)}  # fmt: skip


def named_arrays(node: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """All arrays in a tree of records, by their places, as `blocks.mean_net.perceptron.layers.0.weight`."""
    if node is None:
        return
    if isinstance(node, Mapping):
        inner = node.items()
    elif hasattr(node, "_fields"):
        inner = node._asdict().items()
    elif is_dataclass(node):
        inner = [(f.name, getattr(node, f.name)) for f in fields(node) if not f.metadata.get("static")]
    elif isinstance(node, tuple):
        inner = [(str(place), part) for place, part in enumerate(node)]
    else:
        yield name, np.asarray(node)
        return
    for key, part in inner:
        yield from named_arrays(part, f"{name}.{key}" if name else key)


def _plain(value: Any) -> Any:
    """A setting as JSON knows it."""
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(v) for v in value] if isinstance(value, tuple | list) else value


# Reading


def _restore(content: ModelFile) -> TSNetRegressor:
    if content.header.get("kind") != "TSNetRegressor":
        raise ModelFileError(f"the file holds a {str(content.header.get('kind'))[:40]}, and no kind of model of ours")
    content = upgraded(content)
    header, arrays, parts = content.header, content.arrays, content.header["parts"]
    check_header(header, OPTIONAL)
    settings = _settings(header["settings"])
    columns, target_names = columns_of(header), targets_of(header)
    features, targets = sum(len(column.parts) for column in columns), len(target_names)
    coordinates = features + np.size(arrays.get(f"{LEVELS}.feature", ()))
    sizes = {
        "features": (features,),
        "targets": (targets,),
        "perceptions": (_perceptions(settings),),
        "coordinates": (coordinates,),
        "hyper_parameters": (hyper_parameters(coordinates),),
        "law_parameters": (hyper_parameters(features),),
        "sides": (2,),
        "covariance": (features,) * (2 if features <= MOST_COLUMNS else 1),
    }
    check_arrays(arrays, parts, sizes)
    check_together(arrays)
    fitted = FittedModel(
        settings=settings,
        columns=columns,
        target_names=target_names,
        one_dimensional=header["one_dimensional"],
        scaler=_record(Scaler, "scaler", arrays),
        trend=_record(Trend, "trend", arrays),
        ensemble=_ensemble(settings, features, content),
        default_errors=_record(DefaultErrors, "default_errors", arrays),
        imputer=_record(Imputer, "imputer", arrays),
        imputed_scale=float(arrays["imputed_scale"]),
        curved=arrays["curved"],
        held_out=_record(HeldOut, "held_out", arrays),
        rows=_record(EncodedTable, "rows", arrays) if "rows" in parts else None,
        fit_summary=summary_from_json(header["fit_summary"], targets),
        history=_history(header["history"]),
        law=_law(arrays, features) if "law" in parts else None,
        groups=_record(GroupEffect, "groups", arrays) if "groups" in parts else None,
        group_names=_group_names(header, arrays, parts),
        left_out_scores=arrays["left_out_scores"] if "left_out_scores" in parts else None,
    )
    return _estimator(fitted, header["named_columns"])


def _estimator(fitted: FittedModel, named_columns: bool) -> TSNetRegressor:
    values = {name: getattr(fitted.settings, name) for name in NAMES}
    details = {n: v for n, v in values.items() if n not in CONSTRUCTOR and v != getattr(DEFAULTS, n)}
    model = TSNetRegressor(**{n: values[n] for n in CONSTRUCTOR}, details=details or None)
    model.fitted_ = fitted
    model.n_features_in_ = len(fitted.columns)
    if named_columns:
        model.feature_names_in_ = np.array([column.name for column in fitted.columns], dtype=object)
    return model


def _settings(stored: dict[str, Any]) -> Settings:
    missing = [name for name in NAMES if name not in stored]
    if missing:  # today's defaults need not be those with which the model was fitted
        raise ModelFileError(f"its settings lack {listed(missing)}")
    return Settings(**{**stored, "frequency_multiples": tuple(stored["frequency_multiples"])})


def _record(kind: type[Record], part: str, arrays: Arrays) -> Record:
    """A record from the arrays whose names begin with its own."""
    start = f"{part}."
    return kind(**{name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)})


def _ensemble(settings: Settings, features: int, content: ModelFile) -> Ensemble:
    arrays, parts = content.arrays, content.header["parts"]
    targets = len(arrays["prior_variance"])
    networks = StoredNetworks(arrays, settings, features, targets)
    blocks = networks.blocks()
    densities = networks.densities(_perceptions(settings)) if "densities" in parts else None
    networks.finish()
    return Ensemble(
        blocks=blocks,
        densities=densities,
        process_share=_process_share(arrays, features) if "process" in parts else None,
        prior_variance=arrays["prior_variance"],
        combination=settings.combination if "densities" in parts else BY_PROCESS,
        noise_scale=arrays["noise_scale"],
        familiarity=_record(FamiliarityScale, "familiarity", arrays) if "familiarity" in parts else None,
        tails=_record(Tails, "tails", arrays) if "tails" in parts else None,
        trees=_trees(Trees, "trees", arrays, settings.members, features) if "trees" in parts else None,
        boosted=_trees(BoostedTrees, "boosted", arrays, targets, features) if "boosted" in parts else None,
        repeats=_record(Repeats, "repeats", arrays) if "repeats" in parts else None,
    )


def _perceptions(settings: Settings) -> int:
    """Density perceptions: one a member, or one for all."""
    return settings.members if settings.training == "joint" else 1


def _process_share(arrays: Arrays, features: int) -> ProcessShare:
    own: list[Any] = [arrays[f"process.{name}"] for name in ProcessNumbers._fields[:5]]
    own += [arrays.get(f"process.{name}") for name in ProcessNumbers._fields[5:-1]]
    levels = _record(FeatureLevels, LEVELS, arrays) if f"{LEVELS}.feature" in arrays else None
    if levels is not None and not are_levels(levels, features):
        raise ModelFileError("its levels are not those of its features in order")
    numbers = ProcessNumbers(*own, levels=levels)
    if not 0 < len(numbers.centres) <= MOST_CENTRES:  # the work grows with the cube, the memory with the square
        raise ModelFileError(f"its Gaussian process has {len(numbers.centres)} centres, not 1 to {MOST_CENTRES}")
    process = GaussianProcess(numbers)
    if not _is_process(process):
        raise ModelFileError("its Gaussian process is not that of any rows")
    return ProcessShare(
        process, arrays["process.share"], arrays["process.variance_factor"], float(arrays["process.usual_odds"])
    )


def _is_process(process: GaussianProcess) -> bool:
    """Whether it can predict; a broken one is refused here and not later, with bounded work."""
    axes = process.numbers.axes
    stretch = 1.0 if axes is None else float(np.linalg.norm(axes))
    if axes is not None and not np.linalg.cond(axes) < MOST_STRETCHED:
        return False
    lengths = sum(part.size * part.inverse_lengths.max() for part in process.at_centres)
    steepest = np.abs(process.numbers.coefficients).sum(axis=0).max() * lengths + np.abs(process.trend_slope).max()
    if not steepest * stretch < STEEPEST:
        return False
    if len(process.inducing_rows) <= MADE_AT_ONCE:
        return bool(np.isfinite(process.whitening).all())
    numbers, count = process.numbers, len(process.numbers.centres)
    farthest = max(
        float(((numbers.centres * part.inverse_lengths) ** 2).sum(axis=1).max()) for part in process.at_centres
    )
    largest = float(prior_variances(numbers.theta, numbers.centres).max()) * (1 + farthest)
    if float(numbers.row_noise.min()) > 10 * count * np.finfo(float).eps * largest:
        return True  # noise beyond all rounding: the matrix can be factored, and prediction will
    return bool(np.isfinite(process.factor).all())


def _trees(kind: Any, name: str, arrays: Arrays, groups: int, features: int) -> Any:
    trees = _record(kind, name, arrays)
    check_trees(trees, groups, features)
    return trees


def _law(arrays: Arrays, features: int) -> Law:
    numbers, density = _record(LawNumbers, "law", arrays), _record(InputDensity, "law_density", arrays)
    used, usual = numbers.used, numbers.usual
    if not (np.diag(numbers.factor) > 0).all():
        raise ModelFileError("its law has impossible numbers")
    if not ((used >= 0) & (used < features)).all() or (usual < 0).any() or not (usual > 0).any():
        raise ModelFileError("its law is that of no readings")
    if not (np.linalg.eigvalsh(density.covariance) > 0).all():
        raise ModelFileError("its density of inputs is none")
    law = Law(numbers, density)
    if not np.isfinite(law.root).all():
        raise ModelFileError("its law has impossible numbers")
    return law


def _group_names(header: dict[str, Any], arrays: Arrays, parts: list[str]) -> GroupNames | None:
    """The names of the groups, one for each intercept and code."""
    labels, title = header["group_labels"], header["fit_summary"].get("group_title")
    if not labels and "groups" not in parts and "rows.group" not in arrays:
        return None
    if not all(isinstance(label, str) for label in labels):
        raise ModelFileError("its groups have no names")
    codes = arrays["rows.group"].max(initial=-1) if "rows.group" in arrays else -1
    if codes >= len(labels) or len(set(labels)) < len(labels) or not isinstance(title, str):
        raise ModelFileError("the names of its groups are not those of its rows")
    if "groups" in parts and len(arrays["groups.intercept"]) != len(labels):
        raise ModelFileError(f"it has {len(labels)} names for {len(arrays['groups.intercept'])} groups")
    return GroupNames(title, tuple(labels))


def _history(text: str) -> pd.DataFrame:
    """The training history; numbers are parsed by Python, which finds the very same ones again."""
    table = pd.read_csv(StringIO(text), dtype=str)
    if tuple(table.columns) != COLUMNS:
        raise ModelFileError(f"its training history has the columns {list(table.columns)}")
    return table.astype({"member": int, "step": int, "loss": np.float32, "validation": np.float32})
