"""Random intercepts: what the rows of a batch, sample or instrument have in common beside the function.

A row of a group that is not known has the whole variance between groups; one of a known group has its learned intercept
(best linear unbiased prediction) and the variance that its rows have left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.model.shapes import AnyArray, Float, Int

NO_GROUP = -1
"""Code of a row whose group is missing, or was not there when the model was fitted."""


class GroupEffect(NamedTuple):
    """Differences between groups, in scaled units."""

    variance: Float[np.ndarray, " targets"]
    """Expected variance between groups; 0 where unseen groups gain nothing from it."""
    freedom: Float[np.ndarray, ""]
    """Degrees of freedom behind it: groups minus one, minus what was chosen on them; see `fit.groups`."""
    intercept: Float[np.ndarray, "groups targets"]
    """Of each group."""
    left: Float[np.ndarray, "groups targets"]
    """Variance that is left of it."""

    def intercepts(self, code: Int[np.ndarray, " rows"]) -> Float[np.ndarray, "rows targets"]:
        """Of rows by the code of their group; 0 where it is not known."""
        return np.where((code >= 0)[:, None], self.intercept[np.maximum(code, 0)], 0.0)

    def variances(self, code: Int[np.ndarray, " rows"]) -> Float[np.ndarray, "rows targets"]:
        """Of what is not known of rows' intercepts."""
        return np.where((code >= 0)[:, None], self.left[np.maximum(code, 0)], self.variance)


def joint_freedom(
    rest: Float[AnyArray, "*#shape"], between: Float[AnyArray, "*#shape"], share: Float[AnyArray, "*#shape"]
) -> Float[AnyArray, "*#shape"]:
    """Degrees of freedom of a sum whose second part makes up this share of the variance (Welch and Satterthwaite)."""
    return 1 / ((1 - share) ** 2 / rest + share**2 / between)
