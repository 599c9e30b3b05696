"""Model files of earlier versions, brought up to the present layout one step at a time.

A setting that did not exist yet takes the value that was right for that version, never silently today's default.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LAYOUT = 2
"""What is in a header and under which names arrays are kept. Files of version 0.1 do not say: they have layout 1."""

Content = tuple[dict[str, Any], dict[str, np.ndarray]]


def upgraded(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Content:
    """Header and arrays in the present layout."""
    for layout in range(int(header.get("layout", 1)), LAYOUT):
        header, arrays = STEPS[layout](dict(header), dict(arrays))
    return header, arrays


def _from_first(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Content:
    """Version 0.1: other names; a held-out record without parts of the variance, folds and signs."""
    header["fit_summary"] = header.pop("facts") if "facts" in header else header["fit_summary"]
    header["settings"] = {**SETTINGS_OF_FIRST, **header["settings"]}
    header["parts"] = ["process" if name == "kernel" else name for name in header["parts"]]
    if header["settings"]["density"]:
        header["parts"].append("familiarity")
    for old, new in ARRAYS_OF_FIRST.items():
        if old in arrays:
            arrays[new] = arrays.pop(old)
    error, std = arrays.pop("held_out.error"), arrays.pop("held_out.std")
    sign = np.sign(arrays["held_out.y"] - arrays["held_out.mean"])
    arrays["held_out.score"] = sign * error
    arrays["held_out.system_variance"] = std**2
    arrays["held_out.feature_variance"] = arrays["held_out.epistemic_variance"] = np.zeros_like(std)
    arrays["held_out.fold"] = np.full(len(std), -1)
    return header, arrays


SETTINGS_OF_FIRST = {"process_factor": True, "stopping_bias": True, "interval_fits": 0, "robust": False}
"""What version 0.1 did before these could be set."""
ARRAYS_OF_FIRST = {
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

STEPS: dict[int, Callable[[dict[str, Any], dict[str, np.ndarray]], Content]] = {1: _from_first}
"""By the layout that a step starts from."""
