"""`taylor-sensus evaluate`: how accurate are a model's predictions, and how well calibrated its error bars?"""

from __future__ import annotations

from taylor_sensus.cli.command import (
    Censored,
    DataFile,
    Decimal,
    Exact,
    Id,
    Json,
    ModelFile,
    Ordinary,
    Sheet,
    XErr,
    YErr,
)
from taylor_sensus.cli.files import read_rows
from taylor_sensus.cli.screen import score_text, show_json, show_table

ACCURACY = {
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R2",
    "nll": "NLL",
    "crps": "CRPS",
    "std_error_spearman": "rank correlation of std and error",
}
CALIBRATION = {
    "coverage_50": "50 % intervals hold",
    "coverage_80": "80 % intervals hold",
    "coverage_90": "90 % intervals hold",
    "coverage_95": "95 % intervals hold",
    "coverage_90_low": "90 %, the third with the smallest std",
    "coverage_90_mid": "90 %, the middle third",
    "coverage_90_high": "90 %, the third with the largest std",
    "width_90": "mean width of 90 % intervals",
}


CONFORMAL = {
    "conformal_coverage_90": "90 % intervals hold",
    "conformal_coverage_90_low": "the third with the smallest std",
    "conformal_coverage_90_mid": "the middle third",
    "conformal_coverage_90_high": "the third with the largest std",
    "conformal_width_90": "mean width of 90 % intervals",
}


def evaluate(
    model: ModelFile,
    data: DataFile,
    id_: Id = None,
    sheet: Sheet = None,
    x_err: XErr = None,
    y_err: YErr = None,
    exact: Exact = False,
    ordinary: Ordinary = None,
    decimal: Decimal = None,
    censored: Censored = "missing",
    as_json: Json = False,
) -> None:
    """Score a model on DATA, which must hold the measured targets too.

    Use rows that the model has not seen in fitting. Error bars are checked in each third of the rows too, from the
    surest to the least sure: a model can be right on average and wrong where it matters.
    """
    from taylor_sensus.storage.opening import open_model
    from taylor_sensus.tables.wanted import Reading

    opened = open_model(model)
    table = read_rows(
        data, Reading(x_err, y_err, ordinary, None, decimal, censored, exact, sheet, id_), opened, with_targets=True
    )

    from taylor_sensus.scores import check_bounds
    from taylor_sensus.scores import evaluate as all_scores

    prediction = opened.restore().predict_distribution(table.X, X_err=table.X_err, y_err=table.y_err)
    bounds = prediction.conformal_interval(0.9)
    measured = table.y.to_numpy(dtype=float).reshape(len(table.y), -1)
    targets = list(opened.targets)
    scores = {}
    for at, name in enumerate(targets):  # one at a time: scores of metres and seconds cannot be averaged
        one = prediction.target(name)
        lower, upper = (side.reshape(len(measured), -1)[:, at] for side in bounds)
        found = check_bounds(measured[:, at], lower, upper, one.std)
        scores[name] = all_scores(measured[:, at], one) | dict(zip(CONFORMAL, found, strict=True))
    if as_json:
        show_json({"rows": len(measured), **table.details, "scores": scores})
        return
    titles = {f"Errors on {len(measured)} rows": ACCURACY, "Error bars": CALIBRATION, "Conformal intervals": CONFORMAL}
    for title, labels in titles.items():
        rows = [[words, *[score_text(key, scores[name][key]) for name in targets]] for key, words in labels.items()]
        show_table(title, ["", *targets], rows)
