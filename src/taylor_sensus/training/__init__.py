"""From networks and rows to trained networks.

- `batches`: padded row tables, folds, row indices: shapes that stay the same for similar tables.
- `objectives`: what each stage minimises, and how held-out rows score it.
- `step`: one training run as one compiled program.
- `fit`: the stages of a whole fit: density, means, noise; or all at once as printed.
- `ensemble`: the members side by side on the machine's cores.
- `history`: what happened, as a table.
"""
