"""The report as an object: save it, show it in a notebook, or read its answers as text."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taylor_sensus.errors import DataError
from taylor_sensus.report.answers import answers
from taylor_sensus.report.gather import gather
from taylor_sensus.report.page import page
from taylor_sensus.storage.atomic import write_atomically

if TYPE_CHECKING:
    from taylor_sensus.regressor import TSNetRegressor


@dataclass(frozen=True, repr=False)
class Report:
    """A self-contained HTML page about a model, and its four answers as text.

    Parameters
    ----------
    html : str
        The page.
    text : str
        The answers.
    """

    html: str
    text: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page; the file appears whole or not at all.

        Parameters
        ----------
        path : path
            File to write, usually ``....html``.

        Returns
        -------
        Path
            Where it was written.
        """
        target = Path(path)
        if target.is_dir():
            raise DataError(f"{target} is a folder; give the name of a file to write, such as report.html")
        if not target.parent.is_dir():
            raise DataError(f"cannot write {target}: there is no folder {target.parent}; create it first")
        write_atomically(target, self.html.encode())
        return target

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Report ({len(self.html.encode()) / 1e3:.0f} kB of HTML; .save(path) writes it)\n{self.text}"

    def _repr_html_(self) -> str:
        """In a frame of its own, so that the page's looks do not touch the notebook's."""
        frame = 'width="100%" height="700" style="border:1px solid #8888" sandbox=""'
        return f'<iframe {frame} srcdoc="{escape(self.html, quote=True)}"></iframe>'


def make_report(
    model: TSNetRegressor,
    path: str | os.PathLike[str] | None = None,
    data: Any = None,
    candidates: Any = None,
    *,
    model_name: str = "",
    data_name: str | None = None,
) -> Report:
    """The report of a fitted model; also written to ``path`` if that is given.

    Parameters
    ----------
    model : TSNetRegressor
        Fitted.
    path : path, optional
        File to which the page is written.
    data : DataFrame, (X, y) or (X, y, X_err), optional
        A table with the model's columns and, where they were measured, its targets. With the table that the model was
        fitted on, it is evaluated by predictions that its networks made without seeing the row; with other tables by
        predictions for all their rows. Without a table much cannot be shown.
    candidates : DataFrame, array-like or dict, optional
        From which to suggest what to measure next; passed on to ``model.suggest``.
    model_name : str, default=""
        What the page calls the model.
    data_name : str, optional
        What the page calls the table.

    Returns
    -------
    Report
        The page, and its answers as text.
    """
    contents = gather(model, data, candidates, model_name=model_name, data_name=data_name)
    text = "\n".join(f"{answer.question} {answer.short}. {answer.why}" for answer in answers(contents))
    made = Report(page(contents), text)
    if path is not None:
        made.save(path)
    return made
