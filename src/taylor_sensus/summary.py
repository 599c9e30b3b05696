"""A fitted model in words and numbers, in the manner of a fit report."""

from __future__ import annotations

from dataclasses import fields
from html import escape

from taylor_sensus.fitted import FittedModel
from taylor_sensus.settings import DEFAULTS


def warnings_of(fitted: FittedModel) -> list[str]:
    """What a careful user would want to know, each with what to do."""
    facts, found = fitted.facts, []
    if facts["distinct_rows"] < 50:
        found.append(
            f"Only {facts['distinct_rows']} distinct rows: error bars are rough below about 50. Measure more, or "
            "compare with a straight line."
        )
    if facts["constant_columns"]:
        found.append(f"Columns that never change were left out: {', '.join(facts['constant_columns'])}.")
    if facts["missing_cells"]:
        found.append(
            f"{facts['missing_cells']} cells are missing. They were filled from the rest of their row, and the doubt "
            "about them counts as noise of the features."
        )
    if not facts["split_identifiable"]:
        found.append(
            "Noise of the features and of the system cannot be told apart here: the target is hardly more than a "
            "straight line in the features. Their sum is right; declare errors (X_err) or repeat measurements to "
            "split it."
        )
    repeated = facts["rows"] - facts["distinct_rows"]
    if repeated:
        found.append(f"{repeated} rows repeat others exactly or have weight 0; repeats count as one heavier row.")
    for target, explained in zip(fitted.target_names, facts["held_out_explained"], strict=True):
        if explained < 0.1:
            found.append(
                f"For {target} the model is hardly better than its mean ({_share(explained, 0)} of the variance "
                "explained on unseen rows). The features may not carry the answer."
            )
    for target, coverage in zip(fitted.target_names, facts["held_out_coverage"]["90"], strict=True):
        if abs(coverage - 0.9) > 0.06 and facts["held_out_rows"] >= 100:
            found.append(
                f"For {target} 90 % intervals held {coverage:.0%} of unseen rows: the noise is far from Gaussian."
            )
    return found


def summary_text(fitted: FittedModel) -> str:
    """Data, noise, calibration, settings that differ from the defaults, and warnings, as lines of text."""
    facts = fitted.facts
    lines = ["[[Taylor-Sensus model]]"]
    lines += _block(
        "Data",
        {
            "rows": f"{facts['rows']} ({facts['distinct_rows']} distinct)",
            "validation rows": facts["validation_rows"] or "none given: held-out folds inside",
            "features": ", ".join(_column_word(c) for c in fitted.columns),
            "targets": ", ".join(fitted.target_names),
            **_known_words(fitted),
        },
    )
    for position, target in enumerate(fitted.target_names):
        coverage = {level: values[position] for level, values in facts["held_out_coverage"].items()}
        lines += _block(
            f"Unseen rows, {target}",
            {
                "typical error (RMSE)": f"{facts['held_out_rmse'][position]:.5g}",
                "variance explained": _share(facts["held_out_explained"][position], 1),
                "intervals held": ", ".join(f"{level} %: {share:.0%}" for level, share in coverage.items()),
                "noise rescaled by": f"{fitted.noise_scale[position] ** 0.5:.3g}",
            },
        )
    changed = {
        f.name: value for f in fields(DEFAULTS)
        if (value := getattr(fitted.settings, f.name)) != getattr(DEFAULTS, f.name)
    }  # fmt: skip
    lines += _block("Model", {"members": fitted.members, "changed settings": changed or "none"})
    found = warnings_of(fitted)
    lines.append("[[Warnings]]")
    lines += [f"    {text}" for text in found] or ["    none"]
    return "\n".join(lines)


def summary_html(fitted: FittedModel) -> str:
    """The same for a notebook."""
    return f"<pre>{escape(summary_text(fitted))}</pre>"


def _known_words(fitted: FittedModel) -> dict[str, str]:
    """Declared errors and repeated measurements, as far as there are any."""
    facts, words = fitted.facts, {}
    if facts["declared"]:
        told = [
            f"{name} {'exact' if std == 0 else f'{std:.3g}'}" + ("" if share == 1 else f" ({share:.0%} of the cells)")
            for name, (share, std) in facts["declared"].items()
        ]
        words["declared errors"] = ", ".join(told)
    if any(facts["declared_targets"]):
        told = zip(fitted.target_names, facts["declared_targets"], strict=True)
        words["declared errors of targets"] = ", ".join(f"{name} {std:.3g}" for name, std in told)
    if facts["pure_error"] is not None:
        told = zip(fitted.target_names, facts["pure_error"], strict=True)
        words["repeated inputs"] = (
            f"{facts['repeated_inputs']}, between them a scatter of "
            + ", ".join(f"{std:.3g} ({name})" for name, std in told)
            + f" with {facts['pure_error_freedom']:.3g} degrees of freedom"
        )
    return words


def _block(title: str, entries: dict) -> list[str]:
    width = max(map(len, entries))
    return [f"[[{title}]]"] + [f"    {name:<{width}} = {value}" for name, value in entries.items()]


def _share(explained: float, digits: int) -> str:
    """A share in percent; below 0, where any number would only puzzle, just that there is none."""
    return f"{explained:.{digits}%}" if explained > 0 else "none"


def _column_word(column) -> str:
    return column.name if column.categories is None else f"{column.name} ({len(column.categories)} categories)"
