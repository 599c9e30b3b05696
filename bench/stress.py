"""Difficult tables: a right answer or a clear refusal, ours beside CatBoost and scikit-learn's process.

    python -m bench.stress --out bench/results/stress.csv

What counts, in this order. `right`: finite means and positive standard deviations, within the tolerance where the truth
is known. `refused`: a refusal that names what is wrong (ours: an error of this package or a ValueError or TypeError in
words; others: any ValueError, TypeError or error of their own). `wrong`: finite but far from the truth, or an answer
where there is none. `not finite`: NaN or infinity. `crash`: any other exception. A refusal where a right answer exists
is shown as `refused, too strict`, but for inputs where refusing is as good as answering: there the column `may_refuse`
says why, for all methods alike. Ours is the tiny model of the tests, so that it takes minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bench.stress_inputs import Case, cases
from taylor_sensus import TSNetRegressor
from taylor_sensus.errors import TaylorSensusError

SHORTEST = 15
"""Letters of a refusal that says something."""
MODEL: dict[str, Any] = {"members": 2, "width": 16, "depth": 1, "epochs": 40, "n_jobs": 1, "random_state": 0}
DETAILS = {"folds": 2, "noise_width": 8, "noise_depth": 1, "noise_epochs": 10, "pilots": 1}


class Answer(NamedTuple):
    """Means and standard deviations of the new rows."""

    mean: np.ndarray
    std: np.ndarray


def ours(case: Case) -> Answer:
    """The tiny model."""
    model = TSNetRegressor(**MODEL, details=DETAILS).fit(case.X, case.y, **case.fit)
    found = model.predict_distribution(case.new)
    return Answer(np.asarray(found.mean), np.asarray(found.std))


def catboost(case: Case) -> Answer:
    """With mean and variance of its own likelihood; words and categories declared, as its users do."""
    from catboost import CatBoostRegressor

    words = []
    if isinstance(case.X, pd.DataFrame):
        words = [n for n in case.X if not pd.api.types.is_numeric_dtype(case.X[n])]
    several = np.ndim(case.y) == 2 and np.shape(case.y)[1] > 1
    loss = "MultiRMSE" if several else "RMSEWithUncertainty"
    model = CatBoostRegressor(iterations=100, loss_function=loss, random_seed=0, verbose=False, thread_count=1,
                              allow_writing_files=False)  # fmt: skip
    weight = case.fit.get("sample_weight")
    found = np.asarray(model.fit(case.X, case.y, cat_features=words, sample_weight=weight).predict(case.new))
    if several:
        return Answer(found, np.ones_like(found))
    return Answer(found[:, 0], np.sqrt(found[:, 1]))


def process(case: Case) -> Answer:
    """scikit-learn's Gaussian process with scaled inputs and learned noise."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    kernel = ConstantKernel() * RBF() + WhiteKernel()
    model = make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel, normalize_y=True, random_state=0))
    if "sample_weight" in case.fit:
        raise TypeError("a Gaussian process takes no sample_weight")
    return Answer(*model.fit(case.X, case.y).predict(case.new, return_std=True))


PEERS: dict[str, Callable[[Case], Answer]] = {"taylor_sensus": ours, "catboost": catboost, "sklearn_gp": process}


class Outcome(NamedTuple):
    """What came of a case."""

    verdict: str
    words: str
    seconds: float


def met(answer_of: Callable[[Case], Answer], case: Case) -> Outcome:
    """One method meets one case."""
    start = time.process_time()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            answer = answer_of(case)
        verdict, words = judged(case, answer), ""
    except Exception as problem:
        words = " ".join(str(problem).split())
        named = (
            isinstance(problem, TaylorSensusError | ValueError | TypeError) or type(problem).__name__ == "CatBoostError"
        )
        clear = named and len(words) >= SHORTEST and not isinstance(problem, np.linalg.LinAlgError)
        strict = np.isfinite(case.tolerance) and not (case.must_refuse or case.may_refuse)
        verdict = ("refused, too strict" if strict else "refused") if clear else f"crash: {type(problem).__name__}"
    return Outcome(verdict, words[:160], time.process_time() - start)


def judged(case: Case, answer: Answer) -> str:
    """Of an answer that came."""
    if not (np.isfinite(answer.mean).all() and np.isfinite(answer.std).all()):
        return "not finite"
    if case.must_refuse:
        return "wrong: answered"
    if (answer.std < 0).any():
        return "wrong: negative standard deviation"
    if case.truth is None or not np.isfinite(case.tolerance):
        return "right"
    y = np.asarray(case.y, dtype=float)
    size = np.abs(y).max() or 1.0  # squares of the smallest and largest numbers are 0 and infinite
    unit = np.where(np.ptp(y, axis=0) > 0, (y / size).std(axis=0), 1.0)
    error = np.sqrt(np.mean(((answer.mean - case.truth.reshape(answer.mean.shape)) / size / unit) ** 2))
    return "right" if error <= case.tolerance else f"wrong: error {error:.2g} of the spread"


def main(arguments: list[str] | None = None) -> int:
    """Run all, show and keep the table; 1 if ours was wrong anywhere."""
    parser = argparse.ArgumentParser(prog="python -m bench.stress", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--peers", default=",".join(PEERS), help="some of %(default)s")
    parser.add_argument("--cases", help="only those whose name holds this")
    parser.add_argument("--out", type=Path, help="CSV file, a line a case")
    asked = parser.parse_args(arguments)
    lines, counts = [], {name: Counter() for name in asked.peers.split(",")}
    for case in cases():
        if asked.cases and asked.cases not in case.name:
            continue
        line: dict[str, Any] = {"input": case.name}
        for name, count in counts.items():
            found = met(PEERS[name], case)
            count[found.verdict.partition(":")[0]] += 1
            line |= {name: found.verdict, f"{name}_words": found.words}
        lines.append(line | {"may_refuse": case.may_refuse})
        if not line.get("taylor_sensus", "right").startswith(("right", "refused")) or "strict" in line["taylor_sensus"]:
            print(f"{case.name}: {line['taylor_sensus']} {line['taylor_sensus_words']}", flush=True)
    if asked.out:
        pd.DataFrame(lines).to_csv(asked.out, index=False)
    print(pd.DataFrame(counts).fillna(0).astype(int).to_string())
    ours_counted = counts.get("taylor_sensus", Counter())
    return int(any(not verdict.startswith(("right", "refused")) for verdict in ours_counted))


if __name__ == "__main__":
    sys.exit(main())
