"""Model files of earlier formats, brought up to the present one step at a time.

Whoever changes what a file holds adds a step: a function from one format to the next, its tables, and a golden file of
the format that is left behind. Until a golden file of it is committed, the present format may still change. A setting
that did not exist yet takes the value that was right for that format, never silently today's default: a file whose
settings are not complete after the last step is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from taylor_sensus.model.ensemble import NEVER
from taylor_sensus.model.gaussian_process import NO_TREND
from taylor_sensus.storage.container import FORMAT_VERSION, ModelFile

Arrays = dict[str, np.ndarray]
Step = Callable[[dict[str, Any], Arrays], tuple[dict[str, Any], Arrays]]


def upgraded(content: ModelFile) -> ModelFile:
    """The same model in the present format."""
    header, arrays = dict(content.header), dict(content.arrays)
    for number in range(content.format, FORMAT_VERSION):
        header, arrays = STEPS[number](header, arrays)
    return ModelFile(header, arrays)


SETTINGS_OF_1 = {"interval_fits": 0, "robust": False, "pilot_share": 1.0, "trees": 0, "X_err_kind": "setting"}
"""What version 0.1 did before these could be set."""
RETIRED_IN_2 = ("repeats",)
"""Settings of mechanisms that are no more; what they left in a file still counts when it predicts."""
ARRAYS_OF_1 = {
    "center": "scaler.center",
    "scale": "scaler.scale",
    "target_center": "scaler.target_center",
    "target_scale": "scaler.target_scale",
    "kernel.theta": "process.theta",
    "kernel.reach": "process.log_range",
    "kernel.centres": "process.centres",
    "kernel.row_noise": "process.row_noise",
    "kernel.coefficients": "process.coefficients",
    "kernel.share": "process.share",
    "kernel.doubt": "process.variance_factor",
    "usual.share": "default_errors.share",
    "usual.variance": "default_errors.variance",
    "usual.target": "default_errors.target",
    "familiar.level": "familiarity.level",
    "familiar.spread": "familiarity.spread",
    "left_out_error": "left_out_scores",
}
"""New names."""
ABSENT_IN_1 = ("frequency_scale", "doubted_rows", "seed")
"""Not in the summaries of the first files, and lost."""


def _from_1_to_2(header: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Version 0.1: other names; a held-out record without folds, signs and parts of the variance."""
    arrays = {ARRAYS_OF_1.get(name, name): array for name, array in arrays.items()}
    summary = {**dict.fromkeys(ABSENT_IN_1), **header.pop("facts")}
    contrast = summary.pop("contrast", None)
    header["fit_summary"] = {"outliers" if name == "doubted_rows" else name: value for name, value in summary.items()}
    settings = {**SETTINGS_OF_1, **header["settings"]}
    if settings["contrast"] == "auto":  # the members tried it, and chose
        settings["contrast"] = contrast or "off"
    header["settings"] = {name: value for name, value in settings.items() if name not in RETIRED_IN_2}
    header["parts"] = ["densities", *("process" if name == "kernel" else name for name in header["parts"])]
    if "process.theta" in arrays:  # no trend, and members that never give way to it
        arrays["process.theta"] = np.insert(arrays["process.theta"], -1, NO_TREND)
        arrays["process.usual_odds"] = np.array(NEVER)
    if header["settings"]["density"]:
        header["parts"].append("familiarity")
    else:  # a scale was stored, and not used
        del arrays["familiarity.level"], arrays["familiarity.spread"]
    header["parts"] += ["rows"] if "rows.x" in arrays else []
    header["parts"] += ["left_out_scores"] if "left_out_scores" in arrays else []
    arrays["curved"] = arrays["curved"].astype(bool)
    error, std = arrays.pop("held_out.error"), arrays.pop("held_out.std")
    arrays["held_out.score"] = np.sign(arrays["held_out.y"] - arrays["held_out.mean"]) * error
    arrays["held_out.system_variance"] = std**2
    arrays["held_out.feature_variance"] = arrays["held_out.epistemic_variance"] = np.zeros_like(std)
    arrays["held_out.fold"] = np.full(len(std), -1)
    return header, arrays


SETTINGS_OF_2 = {"positive": False}
"""What version 0.2 did before these could be set."""


def _from_2_to_3(header: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Version 0.2 before groups of rows and positive targets."""
    header["group_labels"] = []
    header["settings"] = {**SETTINGS_OF_2, **header["settings"]}
    arrays["held_out.group_variance"] = np.zeros_like(arrays["held_out.epistemic_variance"])
    return header, arrays


SETTINGS_OF_3 = {"boosting": 0}
"""What version 0.2 did before this could be set."""


def _from_3_to_4(header: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Version 0.2: no boosted trees, and a process in double precision without inducing points."""
    header["settings"] = {**SETTINGS_OF_3, **header["settings"]}
    return header, arrays


STEPS: dict[int, Step] = {1: _from_1_to_2, 2: _from_2_to_3, 3: _from_3_to_4}
"""By the format that a step starts from."""
