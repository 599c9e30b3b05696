"""Golden models of the present format, made anew: `python -m bench.golden`, or some: `python -m bench.golden turned`.

A release keeps the files of its format for good; until then whoever changes the format makes those of the coming one
again. What they predict is kept beside them, and every later version must predict the same.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from taylor_sensus import TSNetRegressor

FOLDER = Path(__file__).parents[1] / "tests" / "storage" / "golden"
VERSION = "v0_3"
PARTS = ("mean", "std", "feature_noise", "system_noise", "epistemic", "familiarity")
NEW_ROWS = 12
SMALL = {"members": 2, "width": 8, "depth": 1, "epochs": 4, "embedding": "none", "random_state": 0}
STAGED = {"noise_epochs": 4, "density_steps": 20}
DETAILS = {"folds": 2, "noise_width": 8, "noise_depth": 1}


def kinds() -> dict[str, dict[str, Any]]:
    """For each kind its table, and what the model and `fit` are told."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    y = 2 * x[:, 0] + np.sin(3 * x[:, 1]) + 0.1 * rng.normal(size=40)
    words = pd.DataFrame(x, columns=["temp", "time", "dose"]).assign(maker=rng.choice(["north", "south"], 40))
    gaps = np.where(rng.uniform(size=x.shape) < 0.15, np.nan, x)
    errors = {"X_err": np.array([0.1, np.nan, 0.0]), "y_err": rng.uniform(0.02, 0.1, 40)}
    joint = {"training": "joint", "kernel": False, "contrast": "bounded", "combination": "printed"}
    many = rng.uniform(-1, 1, size=(2100, 2))
    stairs = np.floor(4 * many[:, 0]) + (many[:, 1] > 0.3) + 0.05 * rng.normal(size=2100)
    boosted = {"details": {"boosting": 30, "trees": 0, "kernel_rows": 40, "kernel_search_rows": 40}}
    level, differences = rng.normal(size=(40, 1)), 0.02 * rng.normal(size=(40, 3))
    bands = level + differences
    turned = {"X": bands, "y": 100 * differences[:, 0] + level[:, 0] ** 2, "fit": {"X_err": np.full(3, 0.002)}}
    return {
        "turned": turned,
        "boosted": {"X": many, "y": stairs, "model": boosted},
        "groups": {"X": x, "y": y + np.repeat(rng.normal(size=8), 5), "fit": {"groups": np.repeat(np.arange(8), 5)}},
        "limits": {"X": x, "y": np.maximum(y, -1.0), "fit": {"y_limit": -1.0 * (y < -1.0)}},
        "positive": {"X": x, "y": np.exp(y / 4), "model": {"positive": True}},
        "settings": {"X": x, "y": y, "model": {"X_err_kind": "setting"}, "fit": errors},
        "plain": {"X": x, "y": y},
        "waves": {"X": x, "y": y, "model": {"embedding": "periodic", "details": {"frequencies": 2, "pilots": 1}}},
        "steps": {"X": x, "y": np.where(x[:, 0] > 0.2, 5.0, 0.0) + np.where(x[:, 1] > 0, 2.0, 0.0)},
        "words": {"X": words, "y": y},
        "gaps": {"X": gaps, "y": y},
        "declared_errors": {"X": x, "y": y, "fit": errors},
        "two_targets": {"X": x, "y": np.stack([y, x[:, 2] - y], axis=1)},
        "no_process": {"X": x, "y": y, "model": {"kernel": False}},
        "paper": {"X": x, "y": y, "model": {**joint, "embedding": "positional"}},
        "interval_fits": {"X": x, "y": y, "model": {"details": {"interval_fits": 2}}},
    }


def make(names: list[str], folder: Path = FOLDER) -> None:
    """Fit, save, and keep what the models predict; all if no names are given."""
    beside = folder / f"{VERSION}.npz"
    kept = dict(np.load(beside)) if names else {}
    for name, kind in kinds().items():
        if names and name not in names:
            continue
        model = _unfitted(kind.get("model", {})).fit(kind["X"], kind["y"], **kind.get("fit", {}))
        new = pd.DataFrame(kind["X"][:NEW_ROWS])
        model.save(folder / f"{VERSION}_{name}.tsnet")
        (folder / f"{VERSION}_{name}.json").write_text(new.to_json(orient="split", double_precision=15))
        prediction = model.predict_distribution(new if isinstance(kind["X"], pd.DataFrame) else new.to_numpy())
        kept |= {f"{name}/{part}": getattr(prediction, part) for part in PARTS}
    np.savez_compressed(beside, **kept)


def _unfitted(changes: dict[str, Any]) -> TSNetRegressor:
    staged = {} if changes.get("training") == "joint" else STAGED
    return TSNetRegressor(**{**SMALL, **changes, "details": {**DETAILS, **staged, **changes.get("details", {})}})


if __name__ == "__main__":
    make(sys.argv[1:])
