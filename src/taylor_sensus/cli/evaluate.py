"""`taylor-sensus evaluate`: how good are a model's predictions, and how honest its error bars?"""

from __future__ import annotations

from taylor_sensus.cli.command import DataFile, Json, ModelFile
from taylor_sensus.cli.files import numeric_targets, pick_columns
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


def evaluate(model: ModelFile, data: DataFile, as_json: Json = False) -> None:
    """Score a model on DATA, which must hold the measured targets too.

    Use rows that the model has not seen in fitting.
    """
    from taylor_sensus import load
    from taylor_sensus.data.table import read_table, split_target
    from taylor_sensus.scores import evaluate as all_scores

    frame = read_table(data)
    fitted = load(model)
    targets = list(fitted.fitted_.target_names)
    features = pick_columns(frame, [column.name for column in fitted.fitted_.columns], file=data)
    y = numeric_targets(split_target(frame, targets).targets, file=data)
    prediction = fitted.predict_distribution(features)
    measured = y.to_numpy().reshape(len(y), -1)
    # One target at a time: scores of metres and seconds cannot be averaged.
    scores = {name: all_scores(measured[:, position], prediction.target(name)) for position, name in enumerate(targets)}
    if as_json:
        show_json({"rows": len(y), "scores": scores})
        return
    for title, labels in ((f"Errors on {len(y)} rows", ACCURACY), ("Error bars", CALIBRATION)):
        rows = [[words, *[score_text(key, scores[name][key]) for name in targets]] for key, words in labels.items()]
        show_table(title, ["", *targets], rows)
