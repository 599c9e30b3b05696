"""Taylor-Sensus: predictions for scientific tables with error bars that say where the error comes from.

The public names; everything else may change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from taylor_sensus._version import __version__

if TYPE_CHECKING:
    from taylor_sensus.errors import (
        DataError,
        MissingExtraError,
        ModelFileError,
        SettingError,
        TaylorSensusError,
        TaylorSensusWarning,
    )
    from taylor_sensus.out_of_core.predict import predict_dataset
    from taylor_sensus.prediction import Interval, Prediction
    from taylor_sensus.regressor import TSNetRegressor
    from taylor_sensus.search import TSNetSearch
    from taylor_sensus.settings import Settings
    from taylor_sensus.storage.model_io import load_model as load
    from taylor_sensus.tables.measurements import Measurements, read_measurements

__all__ = [
    "DataError",
    "Interval",
    "Measurements",
    "MissingExtraError",
    "ModelFileError",
    "Prediction",
    "SettingError",
    "Settings",
    "TSNetRegressor",
    "TSNetSearch",
    "TaylorSensusError",
    "TaylorSensusWarning",
    "__version__",
    "load",
    "predict_dataset",
    "read_measurements",
]

_HOMES = {
    "TSNetRegressor": "regressor",
    "TSNetSearch": "search",
    "load": "storage.model_io",
    "predict_dataset": "out_of_core.predict",
    "Prediction": "prediction",
    "Interval": "prediction",
    "Settings": "settings",
    "Measurements": "tables.measurements",
    "read_measurements": "tables.measurements",
} | dict.fromkeys(
    ["DataError", "MissingExtraError", "ModelFileError", "SettingError", "TaylorSensusError", "TaylorSensusWarning"],
    "errors",
)


def __getattr__(name: str) -> Any:
    """Public names are imported when first used: the command line must answer `--help` without loading JAX."""
    if name not in _HOMES:
        raise AttributeError(f"module 'taylor_sensus' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"taylor_sensus.{_HOMES[name]}")
    return getattr(module, "load_model" if name == "load" else name)


def __dir__() -> list[str]:
    return sorted(__all__)
