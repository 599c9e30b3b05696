"""What to measure next: settings that teach most or promise most, with the reason, as a form to fill in.

`suggestion` asks the question and writes the form, `form` is the form, `filled` reads it back, and `advice` says what
to do at a row. Candidates: `candidates` from a table or a `space`, whose columns are each a `domain`; `constraints`
reads and checks what they have to meet, `feasible` finds settings that do, `walk` finds many. The choice: `choosing`
does it in order, with a `survey` of all candidates, a `shortlist`, the model's `ignorance` at pairs of rows, which
leans on its Gaussian process (`process_view`), `goals` with their `expected_improvement`, and a `batch`.
"""

from taylor_sensus.suggest.filled import FilledRows, read_filled
from taylor_sensus.suggest.form import Outlook, Suggestions
from taylor_sensus.suggest.suggestion import suggest

__all__ = ["FilledRows", "Outlook", "Suggestions", "read_filled", "suggest"]
