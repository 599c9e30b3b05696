"""Honest intervals on noisy data: what can ten measurements of a patient say about next year, and what can they not?

442 patients: age, sex, body-mass index, blood pressure, six blood values, and how far the disease went in a year.
Run it with `python examples/diabetes.py`; it writes diabetes.svg into the current folder.
"""

from pathlib import Path
from typing import Any

import numpy as np

from taylor_sensus import TSNetRegressor
from taylor_sensus.datasets.catalogue import load_dataset, split_dataset
from taylor_sensus.plots.style import new_axes
from taylor_sensus.scores import check_bounds, pit_curve, r2


def main(folder: Path = Path("."), **settings: Any) -> None:
    """Fit, then check intervals of every size, also among the easy and the hard patients."""
    patients = split_dataset(load_dataset("diabetes"), seed=0)
    model = TSNetRegressor(random_state=0, **settings)
    model.fit(patients.X_train, patients.y_train, X_val=patients.X_val, y_val=patients.y_val)
    p = model.predict_distribution(patients.X_test)

    print(
        f"The model explains {r2(patients.y_test, p.mean):.0%} of the variance. Is the rest noise or too little data?"
    )
    for name, part in {"noise": p.aleatoric, "too little data": p.epistemic}.items():
        print(f"  {name:15} {np.mean(part**2 / p.std**2):4.0%} of the error bar's variance")
    print("Noise: more patients would hardly help, other measurements might.")
    if not p.noise_budget().identifiable:
        print("Which of it comes in through the ten columns cannot be told from these data.")

    print("\nSo intervals are wide. Do they hold what they promise?")
    for method in ("gaussian", "conformal"):
        low, high = model.predict_interval(patients.X_test, coverage=0.9, method=method)
        held = np.mean((low <= patients.y_test) & (patients.y_test <= high))
        print(f"  90 %, {method:10} hold {held:.0%} of {len(p)} new patients, mean width {np.mean(high - low):.0f}")

    held = check_bounds(patients.y_test, *p.interval(0.9), p.std)
    print("\nAnd not by being too wide for some and too narrow for others? Patients in three groups by their std:")
    print(f"  smallest std: {held.low:.0%} held, middle: {held.mid:.0%}, largest std: {held.high:.0%}")

    curve = pit_curve(p.pit(patients.y_test))
    axes = new_axes((4.8, 4.6))
    axes.plot([0, 1], [0, 1], linestyle="--", color="0.6")
    axes.plot(curve.nominal, curve.observed, marker="o", markersize=3)
    axes.set(xlabel="promised share", ylabel=f"share held of {len(p)} new patients", aspect="equal")
    axes.figure.savefig(folder / "diabetes.svg")


if __name__ == "__main__":
    main()
