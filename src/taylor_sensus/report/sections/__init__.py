"""The sections of the page, each from the contents that it needs; one without contents says what would fill it.

overview.py      answers, warnings, what was fitted, and with what
evaluation.py    how accurate, how well calibrated, which rows are outliers
noise_budget.py  where the error comes from
knowledge.py     what was learned, where too little is known, what to measure next
pieces.py        what they are put together from
"""

from taylor_sensus.report.sections.evaluation import accuracy, calibration, second_look
from taylor_sensus.report.sections.knowledge import dependence, familiarity, next_steps
from taylor_sensus.report.sections.noise_budget import budget
from taylor_sensus.report.sections.overview import fitted, in_short, made_with, warnings

__all__ = [
    "accuracy",
    "budget",
    "calibration",
    "dependence",
    "familiarity",
    "fitted",
    "in_short",
    "made_with",
    "next_steps",
    "second_look",
    "warnings",
]
