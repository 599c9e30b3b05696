"""What to measure next: the most informative or most promising settings, with the reason, as a form to fill in.

`suggestion` asks the question and writes the form, `form` is the form, `filled` reads it back, and `advice` says what
to do at a row. Candidates come from `space/`, which knows no model; `candidate_model` is what they ask. The choice:
`choosing` does it in order: a survey of all candidates, a `shortlist`, the `covariance` of the model's errors at
pairs of rows, which leans on its Gaussian process (`process_view`), `acquisition` functions by goal with their
`expected_improvement`, and a greedy `batch`.
"""

from taylor_sensus.suggest.filled import FilledRows, read_filled
from taylor_sensus.suggest.form import Outlook, Suggestions
from taylor_sensus.suggest.suggestion import suggest

__all__ = ["FilledRows", "Outlook", "Suggestions", "read_filled", "suggest"]
