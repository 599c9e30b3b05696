"""Declared errors of inputs on real tables and where truth is known: `python -m bench.declared_errors CASE [seed]`.

A line a case, with what was measured; `simulations` and `toy` take the number of repeats in place of the seed.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from bench.declared_tables import BANDS, accelerations, galaxies, supernovae
from taylor_sensus import TSNetRegressor
from taylor_sensus.prediction import Prediction

MAGNITUDES, ERRORS = [f"MAG_{b}" for b in BANDS], [f"MAGERR_{b}" for b in BANDS]


def told(name: str, found: Prediction, y: np.ndarray, parts: list[np.ndarray] | None = None) -> None:
    """Scores of a prediction, and coverage of 90 % intervals in parts of the rows."""
    low, high = found.interval(0.9)
    inside = (y >= low) & (y <= high)
    shares = " ".join(f"{inside[part].mean():.3f}" for part in parts or [])
    rmse, nll = np.sqrt(np.mean((found.mean - y) ** 2)), -np.mean(found.logpdf(y))
    print(f"{name}: NLL {nll:.3f}, RMSE {rmse:.4f}, coverage {inside.mean():.3f} {shares}", flush=True)


def redshifts_like(seed: int) -> None:
    """Training and test rows of one kind."""
    train, test = galaxies(0)[:4000], galaxies(3)[:3000]
    thirds = np.array_split(np.argsort(test["MAGERR_R"].to_numpy()), 3)
    X, y = train[MAGNITUDES].to_numpy(), train["Z"].to_numpy()
    new, truth = test[MAGNITUDES].to_numpy(), test["Z"].to_numpy()
    model = TSNetRegressor(random_state=seed).fit(X, y, X_err=train[ERRORS].to_numpy())
    told("declared", model.predict_distribution(new, X_err=test[ERRORS].to_numpy()), truth, thirds)
    told("undeclared", TSNetRegressor(random_state=seed).fit(X, y).predict_distribution(new), truth, thirds)


def redshifts_worse(seed: int) -> None:
    """Small errors in training, large ones in use."""
    both = pd.concat([galaxies(0), galaxies(1)], ignore_index=True)
    precise = np.argsort(both["MAGERR_R"].to_numpy())[:6000]
    train = both.iloc[np.random.default_rng(seed).permutation(precise)[:2000]]
    test = galaxies(3)
    test = test.iloc[np.argsort(test["MAGERR_R"].to_numpy())[-2000:]]
    X, y = train[MAGNITUDES].to_numpy(), train["Z"].to_numpy()
    new, truth = test[MAGNITUDES].to_numpy(), test["Z"].to_numpy()
    model = TSNetRegressor(random_state=seed).fit(X, y, X_err=train[ERRORS].to_numpy())
    told("declared", model.predict_distribution(new, X_err=test[ERRORS].to_numpy()), truth)
    told("undeclared", TSNetRegressor(random_state=seed).fit(X, y).predict_distribution(new), truth)


def redshifts_law(seed: int) -> None:
    """The law from rows with added noise, at precise rows."""
    rng = np.random.default_rng(seed)

    def precise(number: int) -> pd.DataFrame:
        table = galaxies(number)
        return table.iloc[rng.permutation(np.argsort(table["MAGERR_R"].to_numpy())[:3000])[:1500]]

    train, test = precise(0), precise(3)
    X, new, truth = train[MAGNITUDES[1:]].to_numpy(), test[MAGNITUDES[1:]].to_numpy(), test["Z"].to_numpy()
    error = np.broadcast_to(rng.uniform(0.05, 0.4, (len(X), 1)), X.shape)
    noisy, y = X + error * rng.standard_normal(X.shape), train["Z"].to_numpy()
    law = TSNetRegressor(random_state=seed).fit(noisy, y, X_err=error)
    told("declared", law.predict_distribution(new, X_err=0), truth)
    told("undeclared", TSNetRegressor(random_state=seed).fit(noisy, y).predict_distribution(new), truth)
    told("without noise", TSNetRegressor(random_state=seed).fit(X, y).predict_distribution(new), truth)


def supernova_slopes(seed: int) -> None:
    """Slopes of colour and stretch at exact inputs, without and with covariances."""
    table, y = supernovae()
    X, std = table[["x1", "color"]].to_numpy(), table[["dx1", "dcolor"]].to_numpy()
    whole = np.zeros((len(X), 3, 3))
    np.einsum("rii->ri", whole)[:] = np.c_[std, table["dmb"]] ** 2
    for (i, j), name in {(0, 1): "cov_s_c", (0, 2): "cov_m_s", (1, 2): "cov_m_c"}.items():
        whole[:, i, j] = whole[:, j, i] = table[name]
    color, stretch = np.linspace(-0.15, 0.2, 36), np.linspace(-1.5, 1.5, 31)
    for name, errors in (("without covariances", std), ("with covariances", whole)):
        model = TSNetRegressor(random_state=seed).fit(X, y, X_err=errors, y_err=table["dmb"].to_numpy())
        beta = np.polyfit(color, model.predict(np.c_[0 * color, color], X_err=0), 1)[0]
        alpha = -np.polyfit(stretch, model.predict(np.c_[stretch, 0 * stretch], X_err=0), 1)[0]
        print(f"{name}: alpha {alpha:.3f}, beta {beta:.2f}", flush=True)


def acceleration_noise(seed: int) -> None:
    """System noise that the declared errors leave, over rows of two folds."""
    x, x_err, y, y_err = accelerations().T
    order, variances = np.random.default_rng(seed).permutation(len(x)), []
    for fold in range(2):
        test, train = order[fold::2], order[1 - fold :: 2]
        model = TSNetRegressor(random_state=seed + fold).fit(
            x[train, None], y[train], X_err=x_err[train, None], y_err=y_err[train]
        )
        found = model.predict_distribution(x[test, None], X_err=x_err[test, None], y_err=0)
        variances.append(found.system_noise**2)
        print(f"fold {fold}: {np.sqrt(variances[-1].mean()):.4f} dex", flush=True)
    print(f"system noise {np.sqrt(np.concatenate(variances).mean()):.4f} dex")


def three(x: np.ndarray) -> np.ndarray:
    """A function of three inputs."""
    return np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] * x[:, 2]


def simulations(repeats: int) -> None:
    """The law of readings: slope of predicted on true f at exact inputs, f within its error bars, y for readings."""
    for features, rows, share in [(f, n, s) for f in (1, 3) for n in (120, 400) for s in (0.1, 0.2, 0.3)]:
        found = []
        for repeat in range(repeats):
            rng = np.random.default_rng([repeat, rows, features])
            x, new = rng.uniform(-3, 3, (rows, features)), rng.uniform(-3, 3, (500, features))
            error = share * np.sqrt(3.0)
            f = three if features == 3 else lambda x: np.sin(2 * x[:, 0])
            read, y = x + error * rng.standard_normal(x.shape), f(x) + 0.1 * rng.standard_normal(rows)
            model = TSNetRegressor(random_state=repeat).fit(read, y, X_err=error)
            at = rng.uniform(-2.5, 2.5, (300, features))
            law, truth = model.predict_distribution(at, X_err=0), f(at)
            p = model.predict_distribution(new + error * rng.standard_normal(new.shape))
            low, high = p.interval(0.9)
            y_new = f(new) + 0.1 * rng.standard_normal(500)
            found.append((
                np.polyfit(truth, law.mean, 1)[0],
                np.mean(np.abs(law.mean - truth) < 1.645 * law.epistemic),
                np.mean((y_new >= low) & (y_new <= high)),
            ))  # fmt: skip
        slope, inside, covered = np.mean(found, axis=0)
        print(
            f"{features} inputs, {rows} rows, {share:.0%}: slope {slope:.2f}, f {inside:.2f}, y {covered:.3f}",
            flush=True,
        )


def toy(repeats: int) -> None:
    """One of three inputs is read with an error of 0.15: rank correlation of predicted with true std."""
    from scipy.stats import spearmanr

    def f(x: np.ndarray) -> np.ndarray:
        return np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2

    for rows in (60, 200):
        found = []
        for repeat in range(repeats):
            rng = np.random.default_rng([repeat, rows])
            x, new = rng.uniform(-2, 2, (rows, 3)), rng.uniform(-2, 2, (300, 3))
            error = np.array([0.15, 0, 0])
            read, asked = x + error * rng.standard_normal(x.shape), new + error * rng.standard_normal(new.shape)
            y, y_new = (f(a) + 0.05 * rng.standard_normal(len(a)) for a in (x, new))
            p = TSNetRegressor(random_state=repeat).fit(read, y, X_err=error).predict_distribution(asked)
            true = np.hypot(0.05, 0.15 * 2 * np.cos(2 * asked[:, 0]))
            low, high = p.interval(0.9)
            inside = np.mean((y_new >= low) & (y_new <= high))
            found.append((spearmanr(p.std, true).statistic, -np.mean(p.logpdf(y_new)), inside))
        rank, nll, inside = np.mean(found, axis=0)
        print(f"{rows} rows: rank {rank:.2f}, NLL {nll:.2f}, coverage {inside:.3f}", flush=True)


def limits(seed: int) -> None:
    """A fifth of the targets is only known to lie below a limit."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (200, 2))
    truth = 2 * x[:, 0] + np.sin(2 * x[:, 1])
    y = truth + 0.3 * rng.standard_normal(200)
    limit = np.quantile(y, 0.2)
    side, recorded = np.where(y < limit, -1, 0), np.maximum(y, limit)
    new = rng.uniform(-2, 2, (1000, 2))
    f = 2 * new[:, 0] + np.sin(2 * new[:, 1])
    low = f < limit
    marked = TSNetRegressor(random_state=seed).fit(x, recorded, y_limit=side)
    dropped = TSNetRegressor(random_state=seed).fit(x[side == 0], y[side == 0])
    y_new = f + 0.3 * rng.standard_normal(1000)
    for name, model in (("marked", marked), ("dropped", dropped)):
        print(f"{name}: bias of low values {np.mean(model.predict(new[low]) - f[low]):+.3f}")
        told(name, model.predict_distribution(new), y_new, [np.flatnonzero(low)])


CASES = {
    "redshifts_like": redshifts_like,
    "redshifts_worse": redshifts_worse,
    "redshifts_law": redshifts_law,
    "supernovae": supernova_slopes,
    "accelerations": acceleration_noise,
    "simulations": simulations,
    "toy": toy,
    "limits": limits,
}

if __name__ == "__main__":
    CASES[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 0)
