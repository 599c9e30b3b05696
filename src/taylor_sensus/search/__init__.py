"""Settings for one table, chosen by cross-validation within a budget.

- `estimator`: `TSNetSearch`, what users call.
- `space`: where the search starts, which settings it varies between which values, how new trials are drawn.
- `folds`: which rows are learned from and which are held out.
- `evaluation`: fits and scores, one fold of one trial at a time.
- `rounds`: which trials are made, which are given up, which is the best.
- `journal`: every evaluated fold in a file, so that a search that was stopped can go on.
"""

from taylor_sensus.search.estimator import TSNetSearch
from taylor_sensus.search.space import SPACE

__all__ = ["SPACE", "TSNetSearch"]
