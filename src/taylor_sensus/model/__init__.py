"""The paper's method, one room a part, all written for one row of the table.

- `networks`: the bricks: embeddings, perceptrons, bounded variances.
- `taylor_block`: Deep Taylor Block: mean, feature noise through the Jacobian, system noise.
- `gaussian_process`: what a Gaussian process adds to the mean and its slope; ours, not the paper's, and for many rows
  at once; `covariance_shapes`: of what its covariance is made.
- `forward`: networks and blocks asked of many rows with NumPy, with `embedded` and `activations`.
- `noise_contrast`: noise-aware contrastive learning: a library of noise, a second view, its loss.
- `density`: data density perception: neighbour targets, attention over landmarks, familiarity.
- `combine`: uncertainty combination: the network's distribution and the prior's, weighed by familiarity.
- `loss`: heteroscedastic MSE and the total loss.
- `network`: wires the parts together as in the paper's framework figure.
"""
