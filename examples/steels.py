"""How strong is a steel that nobody has made yet? Accuracy, error bars, and where the model knows too little.

312 high-alloy steels: thirteen elements in percent of weight, and the yield strength in MPa.
Run it with `python examples/steels.py`; it writes steels.svg into the current folder.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeCV

from taylor_sensus import TSNetRegressor
from taylor_sensus.datasets.catalogue import load_dataset, split_dataset
from taylor_sensus.plots import plot_parity
from taylor_sensus.scores import evaluate, mae


def main(folder: Path = Path("."), **settings: Any) -> None:
    """Fit, judge on steels that were set aside, and ask for two that lie outside the table."""
    steels = split_dataset(load_dataset("matbench_steels"), seed=0)
    model = TSNetRegressor(random_state=0, **settings).fit(steels.X_train, steels.y_train)
    prediction = model.predict_distribution(steels.X_test)

    print("How accurate is it? Mean error on 63 steels that the model has not seen, in MPa:")
    line = RidgeCV().fit(steels.X_train, steels.y_train).predict(steels.X_test)
    mean = np.full(len(steels.y_test), steels.y_train.mean())
    for name, guess in {"mean of all steels": mean, "straight line": line, "TSNet": prediction.mean}.items():
        print(f"  {name:20} {mae(steels.y_test, guess):6.0f}")

    scores = evaluate(steels.y_test, prediction)
    print(f"\nCan the error bars be trusted? Those of 90 % hold {scores['coverage_90']:.0%} of these steels.")

    print("  Do they tell easy from hard? Quarters of these steels, from the surest to the least sure:")
    by_std = np.argsort(prediction.std)
    for rows in np.array_split(by_std, 4):
        error = np.abs(steels.y_test.to_numpy() - prediction.mean)[rows].mean()
        print(f"  std {prediction.std[rows].mean():5.0f}   error {error:5.0f}")

    print("\nWhere does it know too little? The steel that it is surest of, and two recipes that leave the table:")
    surest = steels.X_test.iloc[[by_std[0]]]
    recipes = {"as tested": surest, "with 40 % Co": surest.assign(co=40), "with 10 % Mn": surest.assign(mn=10)}
    asked = pd.concat(recipes.values()).set_axis(list(recipes))
    answer = model.predict_distribution(asked).to_frame(0.9)
    print(answer[["mean", "std", "aleatoric", "epistemic", "familiarity"]].round(2).to_string())
    print("What grows is what too little data leaves open (epistemic), not the noise (aleatoric).")

    axes = plot_parity(steels.y_test, prediction, unit="MPa")
    axes.figure.savefig(folder / "steels.svg")


if __name__ == "__main__":
    main()
