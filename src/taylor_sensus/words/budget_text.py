"""The noise budget as text for a terminal and as a small table for a notebook."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from taylor_sensus.budget import NoiseBudget
from taylor_sensus.tables.units import split_header
from taylor_sensus.words import notebook, verdicts
from taylor_sensus.words.format import PART_WORDS, number, one_line, percent
from taylor_sensus.words.html import shown, tag
from taylor_sensus.words.verdicts import Status

MOST_LINES = 12
"""Sources that are shown by name; the others share a line."""
HEADINGS = (
    "source", "its error (std)", "sensitivity", "causes (std)", "share", "interval", "known from", "identifiable"
)  # fmt: skip
LEFT = (0, 6, 7)
"""Positions of the columns that hold words; the others hold numbers and are set to the right."""
NOT_IDENTIFIABLE = (
    "Not identifiable: these data cannot tell the inputs' noise from the system's; trust the sum of the two, not the "
    "split. Declare the errors of the inputs (X_err, --x-err) to resolve it; repeated measurements tell only the sum."
)
ONE_SIZE = (
    "Learned shares assume that the system's own noise has one size: if it grows where the function is steep, it "
    "passes for noise of an input. Declare the errors of the inputs (X_err, --x-err) to be sure."
)


class BudgetBlock(NamedTuple):
    """The budget of one target, as texts."""

    title: str
    lines: list[tuple[str, ...]]
    """A text for each of ``HEADINGS``."""
    shares: list[float]
    left_out: str
    """A note about sources that are not shown by name; empty if all are."""
    statuses: list[Status]
    """Whether the split can be trusted, and how much of the variance more data would remove."""


def budget_text(budget: NoiseBudget) -> str:
    """Aligned columns, the largest source first, and a total."""
    pieces = []
    for block in blocks_of(budget):
        table = [HEADINGS, *block.lines]
        widths = [max(_width(line[at]) for line in table) for at in range(len(HEADINGS))]
        pieces += [block.title, *(f"  {one}" for one in block.statuses)]
        for line in table:
            cells = [_padded(t, w, right=at not in LEFT) for at, (t, w) in enumerate(zip(line, widths, strict=True))]
            pieces.append(("  " + "  ".join(cells)).rstrip())
        if block.left_out:
            pieces.append(f"  {block.left_out}")
    pieces += split_words(budget.identifiable, budget.assumes_one_size) if len(budget) else []
    pieces += exact_words(budget.parts.probably_exact)
    return "\n".join(pieces)


def budget_html(budget: NoiseBudget) -> str:
    """The same for a notebook, with a bar behind each share and coloured words."""
    cards = []
    for block in blocks_of(budget):
        lines = [(shown(first), *others) for first, *others in block.lines]
        table = notebook.table(HEADINGS, lines, words=LEFT, bars=block.shares, bar_at=HEADINGS.index("share"))
        left_out = notebook.paragraph(tag("bdi", block.left_out)) if block.left_out else None
        cards.append(notebook.card(tag("bdi", block.title), notebook.statuses(block.statuses), table, left_out))
    if len(budget):
        cards += [notebook.paragraph(words) for words in split_words(budget.identifiable, budget.assumes_one_size)]
    cards += [notebook.paragraph(tag("bdi", words)) for words in exact_words(budget.parts.probably_exact)]
    return tag("div", cards)


def split_words(identifiable: bool, assumes_one_size: bool) -> list[str]:
    """What to know before the split of the noise is trusted; a sentence, or none."""
    return [ONE_SIZE] * assumes_one_size if identifiable else [NOT_IDENTIFIABLE]


def exact_words(found: Mapping[str, str]) -> list[str]:
    """Which columns look exact; a sentence, or none."""
    if not found:
        return []
    listed = ", ".join(f"{one_line(name)} ({why})" for name, why in list(found.items())[:MOST_LINES])
    more = f" and {len(found) - MOST_LINES} more" if len(found) > MOST_LINES else ""
    return [f"Probably exact: {listed}{more}. If so, declare an error of 0 for them (X_err)."]


def blocks_of(budget: NoiseBudget) -> list[BudgetBlock]:
    """For each target the sources, the largest first."""
    if not len(budget):
        return [BudgetBlock("Noise budget of no rows", [], [], "", [])]
    table = budget.mean(every=True)
    if "target" not in table:
        table.insert(0, "target", budget.target_names[0])
    per_target = len(budget.sources)
    groups = [table.iloc[at : at + per_target] for at in range(0, len(table), per_target)]
    seen, lacking = budget.rows_trained_on, budget.parts.unseen_lacking
    status = verdicts.split(budget.identifiable, budget.assumes_one_size)
    words = ("1 row" if len(budget) == 1 else f"average of {len(budget):,} rows") + _of_which(seen, len(budget))
    unseen = [None] * len(groups) if lacking is None or 2 * seen <= len(budget) else lacking.tolist()
    each = zip(groups, budget.target_names, unseen, strict=True)
    return [_block(group, name, words, status, share) for group, name, share in each]


def _of_which(seen: int, rows: int) -> str:
    """For which rows the budget is."""
    if not seen:
        return ""
    return " that the model was fitted on" if seen == rows else f", of which it was fitted on {seen:,}"


def _block(table: pd.DataFrame, target: str, rows: str, split: Status, unseen_lacking: float | None) -> BudgetBlock:
    name, unit = split_header(target)
    ranked = table.sort_values("variance", ascending=False, kind="stable")
    is_zero = ranked["variance"].to_numpy() <= 0
    named, rest = ranked[~is_zero].iloc[:MOST_LINES], ranked[~is_zero].iloc[MOST_LINES:]
    lines = [source_line(row, unit) for row in named.to_dict("records")]
    share = named["share"].tolist()
    if len(rest):
        lines.append((f"{len(rest)} smaller ones", "", "", number(rest["variance"].sum() ** 0.5, unit),
                      percent(rest["share"].sum()), "", "", ""))  # fmt: skip
        share.append(float(rest["share"].sum()))
    total = table["variance"].sum()
    lines.append(("total", "", "", number(total**0.5, unit), percent(1.0 if total > 0 else 0.0), "", "", ""))
    without = [source_word(row) for row in ranked[is_zero].to_dict("records")]
    lacking = float(table.loc[table["part"] == "epistemic", "share"].sum())
    listed = ", ".join(without[:MOST_LINES]) + (f" and {len(without) - MOST_LINES} more" * (len(without) > MOST_LINES))
    return BudgetBlock(
        f"Noise budget of {one_line(name)}, {rows}", lines, [*share, 1.0 if total > 0 else 0.0],
        f"without any part in it: {listed}" if without else "",
        [split, verdicts.lacking_data(lacking, unseen_lacking)],
    )  # fmt: skip


def source_line(row: dict, target_unit: str | None) -> tuple[str, ...]:
    """The texts of one source, a line of ``NoiseBudget.mean``."""
    unit = split_header(str(row["source"])).unit if row["part"] == "feature_noise" else None
    slope = "/".join([target_unit or "1", unit]) if unit else target_unit
    learned = "learned" in row["origin"] and row["part"] != "epistemic"
    return (
        source_word(row),
        number(row["std"], unit),
        number(row["sensitivity"], slope),
        number(row["contribution"], target_unit),
        percent(row["share"]),
        _between(row["share_low"], row["share_high"]),
        "spread of the models" if row["part"] == "epistemic" else row["origin"],
        ("yes" if row["identifiable"] else "no") if learned else "",
    )


def _between(low: float, high: float) -> str:
    """An interval of a share; nothing where there is none."""
    return "" if pd.isna(low) else f"{100 * low:.0f} to {100 * high:.0f} %"


def source_word(row: dict) -> str:
    """A source as people say it; a column without its unit, which stands beside the numbers."""
    return (
        one_line(split_header(str(row["source"])).name) if row["part"] == "feature_noise" else PART_WORDS[row["part"]]
    )


def _width(text: str) -> int:
    """Places that a text takes in a terminal."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
