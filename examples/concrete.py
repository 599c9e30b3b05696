"""What is the error of a predicted strength made of, and which mix should be tested next?

1,030 concrete mixes: seven ingredients in kg a cubic metre, the age in days, and the compressive strength in MPa.
Run it with `python examples/concrete.py`; it writes concrete.svg into the current folder.
"""

from pathlib import Path
from typing import Any

from taylor_sensus import TSNetRegressor
from taylor_sensus.datasets.catalogue import load_dataset, split_dataset
from taylor_sensus.plots import plot_budget
from taylor_sensus.scores import evaluate

SCALES = {"cement": 3.0, "water": 2.0, "superplasticizer": 0.2, "age": 0.0}
"""How well the ingredients are weighed, as standard deviations in their own unit; our assumption, for the example."""


def main(folder: Path = Path("."), **settings: Any) -> None:
    """Fit with declared errors, show the budget, and ask for the next mixes among those not tested yet."""
    concrete = split_dataset(load_dataset("concrete"), seed=0)
    tested, strength, untested = concrete.X_train, concrete.y_train, concrete.X_test
    model = TSNetRegressor(random_state=0, **settings)
    model.fit(tested, strength, X_err=SCALES, X_val=concrete.X_val, y_val=concrete.y_val)

    prediction = model.predict_distribution(untested)
    scores = evaluate(concrete.y_test, prediction)
    print(f"Mean error on {len(untested)} new mixes: {scores['mae']:.1f} MPa.")
    print(f"Error bars of 90 % hold {scores['coverage_90']:.0%} of them.")

    print("\nWhat is an error bar made of? Averaged over the new mixes:")
    budget = prediction.noise_budget()
    table = budget.mean(every=True).sort_values("share", ascending=False)
    columns = ["source", "std", "sensitivity", "contribution", "share", "origin"]
    print(table[columns].round(3).to_string(index=False, na_rep=""))

    print("\nThe strongest mix is wanted. Which three untested ones should be made next?")
    best = model.suggest(untested, n=3, goal="max", random_state=0)
    columns = ["cement", "water", "age", "predicted mean", "predicted std", "advice"]
    print(best.table[columns].round(1).to_string(index=False))
    found = ", ".join(f"{value:.1f}" for value in concrete.y_test.iloc[best.positions])
    print(f"They turned out at {found} MPa. The strongest of all {len(untested)} has {concrete.y_test.max():.1f}.")

    print("\nOr the model should get better everywhere. Which twenty teach it most? The first three of them:")
    teach = model.suggest(untested, n=20, goal="learn", random_state=0)
    print(teach.table[columns].head(3).round(1).to_string(index=False))
    print(teach.outlook)

    axes = plot_budget(budget, rows=range(12))
    axes.figure.savefig(folder / "concrete.svg")


if __name__ == "__main__":
    main()
