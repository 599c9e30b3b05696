"""One table, three spellings: Markdown to read, CSV to compute with, LaTeX to print."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

HEADINGS = {
    "mse": "MSE", "rmse": "RMSE", "mae": "MAE", "nll": "NLL", "nll_paper": "NLL, printed form", "crps": "CRPS",
    "coverage_90": "90 % coverage", "width_90": "90 % width", "std_error_spearman": "rank corr. of std and error size",
    "all": "mean rank",
}  # fmt: skip
"""Scores as tables name them."""
BOLD = re.compile(r"\*\*(.+?)\*\*")
LATEX = str.maketrans({"%": r"\%", "_": r"\_", "&": r"\&", "±": r"$\pm$", "×": r"$\times$", "–": "--"})


def write_table(frame: pd.DataFrame, out: Path, name: str, caption: str) -> None:
    """Write `name`.md, .csv and .tex. Cells are texts or numbers that are shown as they are."""
    out.mkdir(parents=True, exist_ok=True)
    text = frame.astype(object).where(frame.notna(), "")
    (out / f"{name}.md").write_text(f"{caption}\n\n{markdown(text)}\n", encoding="utf-8")
    plain = text.map(lambda cell: BOLD.sub(r"\1", str(cell)))
    (out / f"{name}.csv").write_text(plain.to_csv(index=False, lineterminator="\n"), encoding="utf-8")
    (out / f"{name}.tex").write_text(latex(text, name, caption), encoding="utf-8")


def markdown(frame: pd.DataFrame) -> str:
    """A pipe table; the first column to the left, numbers to the right."""
    rule = ["---", *["---:"] * (len(frame.columns) - 1)]
    head, *body = [[str(cell).replace("|", r"\|") for cell in row] for row in [frame.columns, *frame.to_numpy()]]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *body])


def latex(frame: pd.DataFrame, name: str, caption: str) -> str:
    """A table environment with `booktabs` rules."""
    columns = "l" + "r" * (len(frame.columns) - 1)
    lines = [[str(c) for c in frame.columns], *[[str(c) for c in row] for row in frame.itertuples(index=False)]]
    spelled = [" & ".join(_latex_cell(cell) for cell in line) + r" \\" for line in lines]
    inner = "\n".join([r"\toprule", spelled[0], r"\midrule", *spelled[1:], r"\bottomrule"])
    return (
        "\\begin{table}\n"
        f"\\caption{{{caption.translate(LATEX)}}}\n\\label{{tab:{name}}}\n"
        f"\\begin{{tabular}}{{{columns}}}\n{inner}\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _latex_cell(text: str) -> str:
    return BOLD.sub(r"\\textbf{\1}", text.translate(LATEX))


def plus_minus(mean: float, std: float, digits: int = 3) -> str:
    """`14.2 ± 0.8`: the mean with that many significant digits, the deviation with as many decimals."""
    if pd.isna(mean):
        return "N/A"
    places = decimals(mean, digits)
    spread = "" if pd.isna(std) else f" ± {std:.{places}f}"
    return f"{mean:.{places}f}{spread}"


def decimals(value: float, digits: int = 3) -> int:
    """Decimal places that show a value to so many significant digits."""
    if value == 0 or pd.isna(value):
        return digits - 1
    size = int(f"{abs(value):.{digits - 1}e}".split("e")[1])
    return max(0, digits - 1 - size)
