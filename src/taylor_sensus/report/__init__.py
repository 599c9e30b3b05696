"""The report: what a fitted model can do and where not to trust it, as one self-contained page.

gather.py      from a model and a table to the contents; calls the next five
  table.py       the table that was given
  evidence.py    predictions by which the model is evaluated
  references.py  simple methods on the same rows
  survey.py      all rows: error bars, noise budget, familiarity
  dependence.py  how predictions change with one column
contents.py    the records that are passed on
answers.py     the questions that every reader has, answered in words
figures.py     which plot for what
svg.py         a figure as a small piece of the page
sections/      the sections of the page
page.py        the page; style.py its looks; html.py escaping and tables
importance.py  how much each column matters, as a table and a figure
"""

from taylor_sensus.report.document import Report, make_report

__all__ = ["Report", "make_report"]
