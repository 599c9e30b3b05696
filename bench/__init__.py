"""Measurements behind the claims of the README.

- `steps`: time of a training step, as ratios (`make bench`).
- `speed`: seconds of fits, cold and warm, beside CatBoost; of predictions, imports and the command line.
- `files`: predictions from files to files: rows a second, peak memory, killed and gone on with.
- `fit_files`: fits from files beside fits in memory: error on new rows, CPU seconds, peak memory.
- `toy`: accuracy and noise recovery on data whose truth is known.
- `measurement_errors`: declared errors, intervals, gaps and the budget's flag.
- `categories`: new categories and columns of very many, beside target statistics.
- `fuzz`: damaged and forged model files, and malformed tables.
- `golden`: the golden model files of the present format.
- `peers`: the same tasks with other libraries, where these are installed.
"""
