"""A model file that is open: its columns are known before the model is made, and before JAX is loaded for it."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from taylor_sensus.errors import ModelFileError
from taylor_sensus.storage.container import CheckedFile, check_model_file
from taylor_sensus.storage.header import columns_of, targets_of
from taylor_sensus.tables.column import Column

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor


class OpenedModel(NamedTuple):
    """What stands in the file, and which columns the model was fitted to."""

    path: str | PathLike[str]
    checked: CheckedFile
    columns: tuple[Column, ...]
    targets: tuple[str, ...]

    def restore(self) -> TSNetRegressor:
        """The model, ready to predict."""
        from taylor_sensus.storage.model_io import restore_model

        return restore_model(self.checked.content(), self.path)


def open_model(path: str | PathLike[str]) -> OpenedModel:
    """Read a model file, once, and look at its columns."""
    checked = check_model_file(path)
    try:
        return OpenedModel(path, checked, columns_of(checked.header), targets_of(checked.header))
    except ModelFileError as problem:
        raise cannot_be_read(path, problem) from problem


def cannot_be_read(path: str | PathLike[str], problem: object) -> ModelFileError:
    """A whole model file whose content is not a model that this version knows."""
    return ModelFileError(
        f"{path} does not hold a model that this version can read ({problem}). "
        "Fit and save the model again, or use the version that wrote it."
    )
