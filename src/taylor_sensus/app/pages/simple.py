"""The first page, the page while work is under way, and the page for what went wrong."""

from __future__ import annotations

from taylor_sensus.app.job import Job
from taylor_sensus.app.pages.frame import TABLES, button, field, form, labelled, page, problem
from taylor_sensus.words.html import Content, shown, tag


def start_page(limit: int, *, has_last: bool, trouble: str | None = None) -> str:
    """Choose a table, or a model that was fitted before."""
    size = f"up to {limit / 1e6:,.0f} MB"
    table = form(
        "/table",
        labelled(
            "A table of measurements",
            field("file", "table", accept=TABLES, required="required", id="table"),
            f"CSV, TSV, Excel or Parquet, {size}: one header line, one row a measurement. Cells may hold errors, "
            "as in 14.2(3) or 14.2 ± 0.3, and may be missing.",
        ),
        button("Look at the columns", id="send-table"),
        files=True,
        limit=limit,
        class_="box",
    )
    example = form(
        "/example",
        tag(
            "p",
            "No table at hand? Sixty runs of a simulated reactor, written down as laboratories do.",
        ),
        button("Take the example", class_="quiet"),
        class_="box",
    )
    model = form(
        "/open",
        labelled(
            "A model that was fitted before",
            field("file", "model", accept=".tsnet", required="required"),
            "A .tsnet file, of this app or of taylor-sensus fit.",
        ),
        button("Open it", class_="quiet"),
        files=True,
        limit=limit,
        class_="box",
    )
    last: Content = None
    if has_last:
        words = "The model that was fitted last is still here."
        last = form("/last", tag("p", words), button("Go on with it", class_="quiet"), class_="box")
    lead = (
        "Give it a table of noisy measurements. It learns to predict a column from the others, with error bars that "
        "say where the error comes from. Everything stays on this machine."
    )
    return page("Predictions with honest error bars", problem(trouble), tag("p", lead), table, example, model, last)


def working_page(job: Job) -> str:
    """How far the work is; the script keeps it up to date, without it the page reloads."""
    return page(
        "Working",
        tag("p", shown(job.title, 80)),
        tag("progress", max="1", value=f"{job.share:.3f}", id="progress", aria_label="how much of this step is done"),
        tag("p", job.words, id="doing", role="status"),
        tag("p", job.clock, id="clock", class_="soft"),
        form("/stop", button("Stop", class_="quiet", id="stop")),
        refresh=2,
    )


def problem_page(title: str, words: str) -> str:
    """What went wrong and what to do."""
    return page(title, problem(words), tag("p", tag("a", "Back to the start", href="/")))
