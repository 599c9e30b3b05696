"""What a model says about a table: means, error bars, and where the error comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from taylor_sensus.errors import SettingError
from taylor_sensus.model.intervals import check_coverage, half_widths
from taylor_sensus.model.positive import PositiveShape
from taylor_sensus.model.tails import Tails, normal_tails

if TYPE_CHECKING:
    from taylor_sensus.budget import NoiseBudget
    from taylor_sensus.fitted import Origin

PARTS = ("feature_noise", "system_noise", "epistemic")
"""The three sources of error whose variances add up to the total."""


class Interval(NamedTuple):
    """Lower and upper bounds, one pair a row (and target).

    Parameters
    ----------
    lower : ndarray, (rows,) or (rows, targets)
        Lower bounds, in the target's unit.
    upper : ndarray, (rows,) or (rows, targets)
        Upper bounds.
    """

    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True)
class Prediction:
    """A predictive distribution for each row, with the variance split into its sources.

    Its shape is Student's t with a skew, learned from unseen rows (`tails`); normal where they say nothing else.
    Targets that cannot be negative have one on the positive numbers (`positive=True`).

    Every standard deviation is in the target's own unit. Variances add up exactly:
    ``std**2 = feature_noise**2 + system_noise**2 + epistemic**2``, and ``+ group**2`` where rows have groups.
    Arrays are ``(rows,)`` for one target and ``(rows, targets)`` for several.

    Parameters
    ----------
    mean : ndarray
        Predicted value of each row.
    feature_variance : ndarray
        Variance that the inputs' noise causes.
    system_variance : ndarray
        Variance of the system itself, measuring the target included.
    epistemic_variance : ndarray
        Variance for lack of data.
    familiarity : ndarray, (rows,)
        0 where the model has seen nothing like the row, 1 where training data are dense.
    target_names : tuple of str, default=("y",)
        What is predicted.
    index : Index, optional
        Labels of the rows.
    target_error_variance : ndarray, optional
        Variance of the declared measuring error of the target, a part of the system's variance.
    origin : Origin, optional
        The model and the rows that it is for, from which the noise budget is made.
    noise_covariance : ndarray, (rows, targets, targets), optional
        With several targets: the covariance of feature plus system noise.
    tails : Tails, optional
        Shape of the distribution, one a target; normal by default.
    group_variance : ndarray, optional
        Variance between groups, or what is not known of a known group's intercept.
    group_freedom : float, optional
        Degrees of freedom behind it.
    """

    mean: np.ndarray
    feature_variance: np.ndarray
    system_variance: np.ndarray
    epistemic_variance: np.ndarray
    familiarity: np.ndarray
    target_names: tuple[str, ...] = ("y",)
    index: pd.Index | None = None
    target_error_variance: np.ndarray | None = None
    origin: Origin | None = None
    noise_covariance: np.ndarray | None = None
    tails: Tails | None = None
    group_variance: np.ndarray | None = None
    group_freedom: float | None = None

    def __len__(self) -> int:
        return len(self.mean)

    @cached_property
    def variance(self) -> np.ndarray:
        """Total variance, the sum of its parts."""
        whole = self.feature_variance + self.system_variance + self.epistemic_variance
        return whole if self.group_variance is None else whole + self.group_variance

    @cached_property
    def std(self) -> np.ndarray:
        """Total standard deviation."""
        return np.sqrt(self.variance)

    @cached_property
    def feature_noise(self) -> np.ndarray:
        """Standard deviation that the inputs' noise causes in the target."""
        return np.sqrt(self.feature_variance)

    @cached_property
    def system_noise(self) -> np.ndarray:
        """Standard deviation of the system itself: what exact inputs would leave."""
        return np.sqrt(self.system_variance)

    @cached_property
    def aleatoric(self) -> np.ndarray:
        """Feature and system noise together: what more data would not remove."""
        return np.sqrt(self.feature_variance + self.system_variance)

    @cached_property
    def epistemic(self) -> np.ndarray:
        """What the model does not know for lack of data: prior and disagreement of the members."""
        return np.sqrt(self.epistemic_variance)

    @cached_property
    def group(self) -> np.ndarray:
        """Standard deviation of what rows of a group have in common besides the function; 0 where there are none."""
        return np.zeros_like(self.mean) if self.group_variance is None else np.sqrt(self.group_variance)

    def target(self, name: str) -> Prediction:
        """The prediction of one of the targets, with arrays of one value a row.

        Parameters
        ----------
        name : str
            One of `target_names`.

        Returns
        -------
        Prediction
            Without the other targets; it knows its model no more, so it has no noise budget.
        """
        if name not in self.target_names:
            raise SettingError(f"there is no target {name!r}; the prediction has {list(self.target_names)}")
        position = self.target_names.index(name)

        def pick(array: np.ndarray) -> np.ndarray:
            return array if array.ndim == 1 else array[:, position]

        return replace(
            self,
            mean=pick(self.mean),
            feature_variance=pick(self.feature_variance),
            system_variance=pick(self.system_variance),
            epistemic_variance=pick(self.epistemic_variance),
            target_error_variance=None if self.target_error_variance is None else pick(self.target_error_variance),
            target_names=(name,),
            noise_covariance=None,
            group_variance=None if self.group_variance is None else pick(self.group_variance),
            tails=None if self.tails is None else self.tails.target([position]),
            origin=None,
        )

    def take(self, rows: Any) -> Prediction:
        """The prediction of some of the rows.

        Parameters
        ----------
        rows : slice, mask or list of int
            Which rows, counted from 0.

        Returns
        -------
        Prediction
            Without the other rows; it knows its model no more, so it has no noise budget.
        """
        arrays = [f.name for f in fields(self) if isinstance(getattr(self, f.name), np.ndarray)]
        index = None if self.index is None else self.index[rows]
        return replace(self, origin=None, index=index, **{name: getattr(self, name)[rows] for name in arrays})

    def noise_budget(self) -> NoiseBudget:
        """Where each row's variance comes from: every feature's noise, the system's, sparse data.

        Returns
        -------
        NoiseBudget
            The sources of all rows.
        """
        if self.origin is None:
            raise SettingError("this prediction does not know its model; use model.noise_budget(X) instead")
        from taylor_sensus.budget import NoiseBudget

        return NoiseBudget(self.origin.fitted.budget_parts(self, self.origin.query, self.origin.n_jobs))

    def interval(self, coverage: float = 0.9) -> Interval:
        """Central interval that should hold the true value with probability ``coverage``.

        Parameters
        ----------
        coverage : float, default=0.9
            Probability, between 0 and 1.

        Returns
        -------
        Interval
            Lower and upper bounds.
        """
        check_coverage(coverage)
        return Interval(self._at(0.5 - coverage / 2), self._at(0.5 + coverage / 2))

    def _shape(self) -> Tails:
        """Of the distribution, as single numbers where there is one target."""
        tails = normal_tails(len(self.target_names)) if self.tails is None else self.tails
        tails = tails.target(0) if self.mean.ndim == 1 else tails
        if self.group_variance is None or self.group_freedom is None:
            return tails
        return tails.beside(np.array(self.group_freedom), self.group_variance / self.variance)

    def _positive(self, ask: Callable[[PositiveShape, int], np.ndarray]) -> np.ndarray | None:
        """What the shapes of targets that cannot be negative answer, target by target; None for other predictions."""
        if self.tails is None or self.tails.power is None:
            return None
        shape, found = self._shape(), []
        for at, power in enumerate(np.atleast_1d(self.tails.power)):
            pick = (lambda a: a) if self.mean.ndim == 1 else (lambda a, at=at: a[..., at])
            freedom = float(np.median(shape.freedom if self.mean.ndim == 1 else shape.freedom[..., at]))
            found.append(ask(PositiveShape(pick(self.mean), pick(self.std), float(power), freedom), at))
        return found[0] if self.mean.ndim == 1 else np.stack(found, axis=-1)

    def _at(self, level: float) -> np.ndarray:
        found = self._positive(lambda shape, _: shape.quantile(np.array(level)))
        if found is not None:
            return found
        return self.mean + self._shape().quantile(np.float64(level)) * self.std

    def logpdf(self, y) -> np.ndarray:
        """Log of the predictive density at observed values.

        Parameters
        ----------
        y : array-like
            Of the shape of `mean`.

        Returns
        -------
        ndarray
            Of the shape of `mean`; its negative mean is the negative log-likelihood.
        """
        z = self._standardised(y)
        found = self._positive(lambda shape, at: shape.logpdf(self._column(y, at)))
        return self._shape().logpdf(z) - np.log(self.std) if found is None else found

    def cdf(self, y) -> np.ndarray:
        """Probability of a value below each of the given ones.

        Of observed values it is the probability integral transform, also called `pit`: uniform between 0 and 1 if the
        predictions are honest.

        Parameters
        ----------
        y : array-like
            Of the shape of `mean`.

        Returns
        -------
        ndarray
            Of the shape of `mean`, from 0 to 1.
        """
        z = self._standardised(y)
        found = self._positive(lambda shape, at: shape.cdf(self._column(y, at)))
        return self._shape().cdf(z) if found is None else found

    pit = cdf

    def crps(self, y) -> np.ndarray:
        """Continuous ranked probability score of observed values, in the target's unit.

        Parameters
        ----------
        y : array-like
            Of the shape of `mean`.

        Returns
        -------
        ndarray
            Of the shape of `mean`; smaller is better.
        """
        z = self._standardised(y)
        found = self._positive(lambda shape, at: shape.crps(self._column(y, at)))
        return self._shape().crps(z) * self.std if found is None else found

    def _column(self, y, at: int) -> np.ndarray:
        y = np.asarray(y, dtype=float)
        return y if y.ndim == 1 else y[:, at]

    def _standardised(self, y) -> np.ndarray:
        y = np.asarray(y, dtype=float)
        if y.shape != self.mean.shape:
            raise SettingError(f"y must have the shape of the prediction, {self.mean.shape}, not {y.shape}")
        return (y - self.mean) / self.std

    def conformal_interval(self, coverage: float = 0.9) -> Interval:
        """Interval as wide as unseen training rows would have needed, whatever the noise looks like.

        Parameters
        ----------
        coverage : float, default=0.9
            Probability, between 0 and 1.

        Returns
        -------
        Interval
            Infinite where unseen rows are too few for any finite bound.
        """
        if self.origin is None:
            raise SettingError("this prediction does not know its model; use model.predict_interval(X) instead")
        widths = half_widths(np.abs(self.origin.fitted.conformal_scores), coverage)
        half = self.std * (widths[0] if self.mean.ndim == 1 else widths)
        low = self.mean - half
        is_positive = self.tails is not None and self.tails.power is not None
        return Interval(np.maximum(low, 0.0) if is_positive else low, self.mean + half)

    def quantile(self, q) -> np.ndarray:
        """Quantiles of each row's prediction.

        Parameters
        ----------
        q : float or array-like
            Levels, between 0 and 1.

        Returns
        -------
        ndarray
            Of the shape of `mean`; a list of levels adds a last axis.
        """
        levels = np.asarray(q, dtype=float)
        if levels.size and not (np.all(levels > 0) and np.all(levels < 1)):
            raise SettingError(f"quantile levels must lie between 0 and 1, not {q!r}")
        if levels.ndim == 0:
            return self._at(float(levels))
        return np.stack([self._at(float(level)) for level in levels.ravel()], axis=-1).reshape(
            (*self.mean.shape, *levels.shape)
        )

    def sample(self, n: int = 1, *, random_state=None) -> np.ndarray:
        """Draw values for each row; targets are drawn with their covariance.

        Parameters
        ----------
        n : int, default=1
            How many values for each row.
        random_state : int, Generator or None, default=None
            The same integer gives the same values.

        Returns
        -------
        ndarray, (n, rows) or (n, rows, targets)
            The values, in the target's unit.
        """
        if not (isinstance(n, Integral) and n >= 0):
            raise SettingError(f"n must be a whole number of samples, not {n!r}")
        rng = np.random.default_rng(random_state)
        normal = rng.standard_normal((n, *self.mean.shape))
        if self.noise_covariance is None:
            return self._bent(normal)
        scale = self.std[:, :, None] * self.std[:, None, :]
        # A trace of independent noise: targets that always move together have a singular correlation.
        correlation = (1 - 1e-9) * self.covariance() / scale + 1e-9 * np.eye(self.mean.shape[1])
        root = np.linalg.cholesky(correlation)
        return self._bent(np.einsum("rij,nrj->nri", root, normal))

    def _bent(self, normal: np.ndarray) -> np.ndarray:
        """Values that lie as high in the rows' distributions as these draws do in the normal one."""
        if self.tails is None:
            return self.mean + self.std * normal
        level = np.clip(ndtr(normal), 1e-12, 1 - 1e-12)
        found = self._positive(lambda shape, at: shape.quantile(level if self.mean.ndim == 1 else level[..., at]))
        return self.mean + self.std * self._shape().quantile(level) if found is None else found

    def covariance(self) -> np.ndarray:
        """Full covariance of the targets; its diagonal is ``std**2``.

        Returns
        -------
        ndarray, (rows, targets, targets)
            In the targets' units.
        """
        if self.noise_covariance is None:
            return self.variance.reshape(len(self), 1, 1)
        eye = np.eye(self.mean.shape[1])
        return self.noise_covariance + (self.epistemic_variance + self.group**2)[:, :, None] * eye

    def to_frame(
        self, coverage: float | None = None, interval: Interval | None = None, *, inputs: bool = False
    ) -> pd.DataFrame:
        """One row a prediction: mean, std, its parts and the familiarity; with a coverage the interval too.

        Parameters
        ----------
        coverage : float, optional
            Probability of the interval, such as 0.9. With it come the columns of the interval and the aleatoric error;
            without it the table fits a screen.
        interval : Interval, optional
            The bounds of that probability, as `TSNetRegressor.predict_interval` gives them; by default those of
            `Prediction.interval`.
        inputs : bool, default=False
            Whether the inputs stand before the predictions, as the model read them.

        Returns
        -------
        DataFrame
            With the labels of the rows; with several targets each column is named after its target too.
        """
        names = ["mean", "std", "feature_noise", "system_noise", *(["aleatoric"] if coverage else []), "epistemic"]
        names += [] if self.group_variance is None else ["group"]
        parts = {name: getattr(self, name) for name in names}
        if coverage is not None:
            low, high = self.interval(coverage) if interval is None else interval
            parts |= {f"lower_{coverage * 100:g}": low, f"upper_{coverage * 100:g}": high}
        columns = {}
        for position, target in enumerate(self.target_names):
            prefix = "" if self.mean.ndim == 1 else f"{target}_"
            for name, values in parts.items():
                columns[prefix + name] = values if values.ndim == 1 else values[:, position]
        columns["familiarity"] = self.familiarity
        frame = pd.DataFrame(columns, index=self.index)
        return pd.concat([self._inputs(taken=list(frame)), frame], axis=1) if inputs else frame

    def _inputs(self, taken: Sequence[str]) -> pd.DataFrame:
        """The predicted rows, with the model's names; an underscore is put behind one that is taken."""
        if self.origin is None:
            raise SettingError("this prediction does not know its inputs; put them beside it: X.join(p.to_frame())")
        from taylor_sensus.tables.columns import decode

        found = decode(self.origin.query.x, self.origin.fitted.columns)
        found = found.rename(columns=lambda name: f"{name}_" if name in taken else name)
        return found if self.index is None else found.set_axis(self.index, axis=0)

    def __str__(self) -> str:
        from taylor_sensus.words.prediction_text import prediction_text

        return prediction_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from taylor_sensus.words.prediction_text import prediction_html

        return prediction_html(self)


def joined(parts: Sequence[Prediction], index: pd.Index | None) -> Prediction:
    """The predictions of a table's parts as one, with the labels of all its rows."""
    first = parts[0]
    arrays = [f.name for f in fields(first) if isinstance(getattr(first, f.name), np.ndarray)]
    return replace(first, index=index, **{name: np.concatenate([getattr(p, name) for p in parts]) for name in arrays})
