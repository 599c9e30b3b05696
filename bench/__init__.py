"""Measurements behind the claims of the README.

- `steps`: time of a training step, as ratios (`make bench`).
- `speed`: seconds of fits, cold and warm, beside CatBoost; of predictions, imports and the command line.
- `toy`: accuracy and noise recovery on data whose truth is known.
- `measurement_errors`: declared errors, intervals, gaps and the budget's flag.
- `peers`: the same tasks with other libraries, where these are installed.
"""
