"""What people read: numbers and names as text and HTML, verdicts, warnings, summaries, progress.

format.py           names and numbers on one line
html.py             escaping; notebook.py tables and coloured words for notebooks
verdicts.py         good, fair or check: every assessment, with its thresholds
warnings.py         what a careful user should know, as records with what to do
summary.py          a fitted model
prediction_text.py  a prediction
budget_text.py      a noise budget
progress.py         how far work is; progress_views.py how it is shown
"""
