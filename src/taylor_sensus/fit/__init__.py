"""How a model is made: from an encoded table to a fitted model.

- `prepare`: equal rows merged, scaled, gaps filled, declared errors at hand.
- `stages`: density, Gaussian process, means, noise; or all at once as printed.
- `calibrate`: scales and constants from rows that the members have not seen; `scales` has the arithmetic.
- `fit_model`: all of it in order; `cross_fit` does it again without a part of the rows.
- `process`: the Gaussian process found, and weighed against the networks; `robust` says how far each row counts.
- `trees`, `boosting`: forests of the members and one sum of boosted `symmetric_trees`, where they earn a share.
- `noise`: trained noise networks, and how they are made flatter.
- `members`: one run each, side by side on the machine's cores; `loop` is such a run as one compiled program,
  `objectives` what it minimises, `initial` what it starts from, `history` what happened in it.
- `stream`: rows of a table larger than memory, for the means.
- `context`: what the stages share; `padding`: shapes that stay the same for similar tables; `records`: what goes in
  and comes out; `declared_errors`: what is known of the errors of cells.
- `inference`: compiled programs that ask trained members; `storage.compilation` keeps them on disk.
"""
