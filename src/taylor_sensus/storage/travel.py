"""A model as the bytes of its file, to be sent to other processes and machines, and its hash."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from taylor_sensus.errors import SettingError
from taylor_sensus.regressor import TSNetRegressor
from taylor_sensus.storage.model_io import load_model, save_model


def model_to_bytes(model: TSNetRegressor) -> bytes:
    """The fitted model without its training rows."""
    if callable(model.fitted_.settings.prior):
        raise SettingError("a model with a prior of your own cannot be sent to other processes; use n_jobs=1")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.tsnet"
        save_model(model, path, keep_rows=False)
        return path.read_bytes()


def model_from_bytes(content: bytes) -> TSNetRegressor:
    """The model, ready to predict."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.tsnet"
        path.write_bytes(content)
        return load_model(path)


def fingerprint(model: TSNetRegressor) -> str:
    """SHA-256 of all that predictions depend on; a prior of the user's own is not looked at."""
    fitted = model.fitted_
    if callable(fitted.settings.prior):
        model = copy.copy(model)
        model.fitted_ = replace(fitted, settings=replace(fitted.settings, prior="mean"))
    return hashlib.sha256(model_to_bytes(model)).hexdigest()
