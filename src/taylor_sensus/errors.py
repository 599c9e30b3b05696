"""The few exceptions and warnings that users meet. Each message says what came, what was expected, what to do."""


class TaylorSensusError(Exception):
    """Base of all errors raised on purpose by this package."""


class DataError(TaylorSensusError, ValueError):
    """A table that cannot be used as it is; the message names row, column and remedy."""


class SettingError(TaylorSensusError, ValueError):
    """A setting with a wrong name or value."""


class ModelFileError(TaylorSensusError, ValueError):
    """A model file that is damaged, of another kind, or written by a newer version."""


class MissingExtraError(TaylorSensusError, ImportError):
    """An optional package is needed; the message names the install command."""


class TaylorSensusWarning(UserWarning):
    """Something that a careful user would want to know, but that does not stop the work."""
