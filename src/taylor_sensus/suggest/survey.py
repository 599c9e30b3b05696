"""What a model says of many rows, as far as choosing among them needs it: mean and epistemic error, in parts."""

from __future__ import annotations

import numpy as np

from taylor_sensus.fitted import FittedModel
from taylor_sensus.model.epistemic import EpistemicParts, epistemic_parts, mean_opinions


def survey(
    fitted: FittedModel,
    process_variance: np.ndarray,
    scaled: np.ndarray,
    prior_mean: np.ndarray | None,
    target: int,
    n_jobs: int | None,
) -> EpistemicParts:
    """Mean and epistemic error of rows in scaled units: all that suggestions ask of the model before predicting.

    `process_variance` is that of the Gaussian process at the rows, as exact as it is needed. `prior_mean` is in the
    target's unit, `(rows, targets)`, and only there if the prior is the user's own.
    """
    prior = fitted.trend(scaled) if prior_mean is None else fitted.scaler.targets(prior_mean)
    said = mean_opinions(fitted.ensemble, scaled.astype(np.float32), n_jobs)
    return epistemic_parts(fitted.ensemble, said, process_variance, scaled, prior, target)
