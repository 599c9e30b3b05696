"""From networks and rows to trained networks.

- `batches`: padded row tables, folds, row indices: shapes that stay the same for similar tables.
- `objectives`: what each stage minimises, and how held-out rows score it.
- `step`: one training run as one compiled program.
- `process`: a Gaussian process in double precision: evidence, answers at seen and unseen rows.
- `support`: the kernel part of the mean, made of such a process and weighed against the networks.
- `belief`: how far each row is believed, as if noise followed Student's t.
- `run`: what the stages of a fit share: rows on the device, who sees which, how members are trained.
- `fit`: the stages of a whole fit: density, kernel part, means, noise; or all at once as printed.
- `ensemble`: the members side by side on the machine's cores.
- `history`: what happened, as a table.
"""
