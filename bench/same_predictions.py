"""Do two versions of the code make the same models? Ten fits of different kinds, their predictions kept and compared.

    python -m bench.same_predictions make before.npz      # with the code of before
    python -m bench.same_predictions make after.npz       # with the code of after
    python -m bench.same_predictions compare before.npz after.npz

Compared are mean, std and its three parts for rows that were not fitted. `compare` ends with 1 if any kind of fit
differs by more than 1e-6 relative and its root-mean-square difference exceeds 2 % of the std.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd

PARTS = ("mean", "std", "feature_noise", "system_noise", "epistemic")
SMALL = {"members": 3, "epochs": 48}
SMALL_DETAILS = {"folds": 3, "pilots": 1}


def _law(x: np.ndarray) -> np.ndarray:
    return np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 + 0.3 * x[:, 2]


def _table(rows: int, seed: int, features: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (rows, features))
    return x, _law(x) + 0.1 * (1 + (x[:, 1] > 0)) * rng.standard_normal(rows)


def _words() -> tuple[Any, ...]:
    x, y = _table(240, 3)
    frame = pd.DataFrame(x, columns=list("abcd"))
    frame["maker"] = np.random.default_rng(4).choice(["north", "south", "west"], len(frame))
    return frame, y + 0.5 * (frame["maker"] == "west").to_numpy()


def _gaps() -> tuple[Any, ...]:
    x, y = _table(240, 5)
    return np.where(np.random.default_rng(6).uniform(size=x.shape) < 0.1, np.nan, x), y


def kinds() -> dict[str, dict[str, Any]]:
    """For each kind of fit: training table, table to predict, settings, and what else `fit` is told."""
    rng = np.random.default_rng(0)
    x, y = _table(300, 0)
    new = _table(80, 1)[0]
    small = {**SMALL, "details": SMALL_DETAILS}
    words, gaps, large = _words(), _gaps(), _table(12_000, 7, 6)
    from taylor_sensus import settings

    return {
        "plain": {"table": (x, y), "new": new},
        "two targets": {"table": (x, np.stack([y, x[:, 2] - y], 1)), "new": new, "settings": small},
        "words": {"table": words, "new": words[0].iloc[::3], "settings": small},
        "gaps": {"table": gaps, "new": gaps[0][::3], "settings": small},
        "declared errors": {
            "table": (x, y), "new": new, "settings": small,
            "fit": {"X_err": np.array([0.1, np.nan, 0.0, 0.2]), "y_err": rng.uniform(0.02, 0.1, len(y))},
        },
        "validation rows": {
            "table": (x[:220], y[:220]), "new": new, "settings": small, "fit": {"X_val": x[220:], "y_val": y[220:]}
        },
        "weights": {
            "table": (x, y), "new": new, "settings": small, "fit": {"sample_weight": rng.uniform(0, 3, len(y)).round()}
        },
        "60 rows": {"table": _table(60, 8), "new": new},
        "12,000 rows": {"table": large, "new": _table(500, 9, 6)[0], "settings": {**SMALL, "epochs": 4}},
        "paper mode": {"table": (x, y), "new": new, "settings": settings.paper(epochs=100)},
    }  # fmt: skip


def make(path: str) -> None:
    """Fit all kinds and keep their predictions."""
    from taylor_sensus import TSNetRegressor

    kept = {}
    for name, kind in kinds().items():
        model = TSNetRegressor(random_state=0, **kind.get("settings", {})).fit(*kind["table"], **kind.get("fit", {}))
        prediction = model.predict_distribution(kind["new"])
        kept.update({f"{name}/{part}": getattr(prediction, part) for part in PARTS})
        print(f"{name}: {len(prediction)} rows predicted", flush=True)
    np.savez_compressed(path, **kept)


def compare(before: str, after: str) -> int:
    """Print the differences; 1 if any kind of fit differs by too much."""
    one, other = np.load(before), np.load(after)
    bad = 0
    print(f"{'kind':<16} {'part':<14} {'largest relative':>17} {'rms / mean std':>15}")
    for key in one.files:
        name, part = key.split("/")
        a, b = one[key], other[key]
        relative = float(np.max(np.abs(a - b) / np.maximum(np.abs(a), 1e-9 * np.abs(a).max() + 1e-30)))
        rms = float(np.sqrt(np.mean((a - b) ** 2)) / np.mean(one[f"{name}/std"]))
        wrong = relative > 1e-6 and rms > 0.02
        bad += wrong
        print(f"{name:<16} {part:<14} {relative:>17.2g} {rms:>15.2g}{'  differs' if wrong else ''}")
    print(f"{bad} of {len(one.files)} differ")
    return int(bad > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"] and len(sys.argv) == 3:
        make(sys.argv[2])
    elif sys.argv[1:2] == ["compare"] and len(sys.argv) == 4:
        sys.exit(compare(*sys.argv[2:]))
    else:
        sys.exit(__doc__)
