"""Stage process: a Gaussian process found by its evidence, and how far each row counts beside the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taylor_sensus.fit.context import FitContext
from taylor_sensus.fit.records import FoundProcess, Table
from taylor_sensus.fit.robust import (
    CLEAR,
    LITTLE,
    leans,
    lie_together,
    robust_score,
    robust_weights,
    row_weights,
    suspects,
)
from taylor_sensus.model.chunks import in_chunks, one_blas_thread, run_all
from taylor_sensus.model.coordinates import Coordinates, find_levels, principal_axes
from taylor_sensus.model.gaussian_process import (
    CENTRES,
    FoundMaximum,
    GaussianProcess,
    ProcessNumbers,
    ProcessRows,
    noise,
    search,
    usual_slopes,
)
from taylor_sensus.model.shapes import Float, Int
from taylor_sensus.rows import blocks, spread
from taylor_sensus.settings import Settings

FIRST_START, OTHER_STARTS = CENTRES[1], (CENTRES[0], CENTRES[2])
"""Where searches begin: the first with every range, the others with the best one only."""
LOG_RANGES = (30.0, 4.0, 1.0)
"""Where long tails may begin to be squashed: unseen rows choose, because the evidence often errs here."""
LONG_TAIL = 4.0
"""Scaled features beyond this have tails; without any, only the widest range is tried."""
SCOUTS, SCOUT_ITERATIONS = 200, 25
"""Rows and steps with which starts and ranges are compared, before the best goes on with more rows."""
VERY_STRONG = 5.0
"""Log of the Bayes factor from which principal axes take the place of the features, or levels stand beside them:
evidence that is called so."""
LEVELS_ERROR = 0.97
"""Squared error of unseen rows with levels, as a share of that without, up to which they are worth it."""
ITERATIONS = 40
ROUNDS, MORE_ROUNDS, MORE_ITERATIONS = 2, 6, 10
"""How often robust weights are found anew, and the search goes on; and how often more where there clearly are outliers,
which hide in the noise until it has shrunk to what the other rows have."""
MOST_ROBUST_CENTRES = 1000
"""Centres with which robust weights are found and compared at most; all of them answer in the end."""
SUSPECT_WEIGHT = 1e-3
"""Weight of suspected rows while the others are looked at."""
LEAST_LOG_NOISE = np.log(1e-6)
"""Log of the smallest noise variance."""
MANY_ROWS, FEWEST_CENTRES, MOST_WORK = 10_000, 500, 3e10
"""Above so many rows fewer become centres, the more rows ask them: the work is rows times centres squared."""
FEW_ROWS, ROWS_A_LEVEL = 250, 5
"""Up to so many, and so many more for each level, the length scales are searched for again without each fold."""
SLOPE_PASSES = 3
"""How often the process is fitted again with the slopes of the fit before, where features have declared errors."""


class ProcessStage(NamedTuple):
    """What the stage hands on."""

    found: FoundProcess | None
    row_weights: Float[np.ndarray, " rows"]
    """For the means, which count exact rows more than uncertain ones."""


def run_process(context: FitContext) -> ProcessStage:
    """The process, unless it is switched off or the table is too large for it, and the weights of rows."""
    t, errors, settings = context.table, context.table.errors, context.settings
    declared = np.zeros(len(t.x)) if errors is None else errors.target.mean(axis=1, dtype=np.float64)
    if not settings.kernel or t.train > settings.kernel_limit:
        if errors is None or not declared.any():
            return ProcessStage(None, t.weight)
        spread = np.average((t.y - t.prior_mean) ** 2, axis=0, weights=t.weight).mean()
        white = max(spread - np.average(declared, weights=t.weight), 0.1 * spread)
        return ProcessStage(None, row_weights(t.weight, white + declared, t.train))
    fold, seed = context.fold, int(context.run_seeds[-1])
    if context.chosen is not None and context.chosen.process is not None:
        found = find_again(context.chosen.process, t, declared, fold, settings, seed)
    else:
        found = find_process(t, declared, fold, settings, seed, context.n_jobs)
    if errors is not None and errors.inputs().declared_variance.any():
        found, declared = told_of_slopes(found, context)
    return ProcessStage(found, weights_of_rows(found, t, declared))


def told_of_slopes(found: FoundProcess, context: FitContext) -> tuple[FoundProcess, Float[np.ndarray, " rows"]]:
    """A process that knows what the features' declared errors bring to each row, and those variances.

    They reach the target through the slope, which is only known once there is a fit.
    """
    t, seed, declared = context.table, int(context.run_seeds[-1]), np.zeros(len(context.table.x))
    if t.errors is None:
        raise ValueError("no errors are declared")
    for _ in range(SLOPE_PASSES):
        squared = process_slopes(found.process, t.x, context.n_jobs) ** 2
        declared = t.errors.at_targets(squared).mean(axis=1)
        numbers, centre = found.process.numbers, found.centre
        found = find_again(numbers, t, declared, context.fold, context.settings, seed, centre)
    return found, declared


def weights_of_rows(
    found: FoundProcess, table: Table, declared: Float[np.ndarray, " rows"]
) -> Float[np.ndarray, " rows"]:
    """How much each row counts for the means, by its declared variance and its robust weight."""
    if table.errors is None and (found.robust_weights == 1).all():
        return table.weight
    white = noise(found.process.numbers.theta)
    is_outlier = found.robust_weights < LITTLE
    return row_weights(table.weight, (white + declared) / found.robust_weights, table.train, is_outlier)


def process_slopes(
    process: GaussianProcess, x: Float[np.ndarray, "rows features"], n_jobs: int | None
) -> Float[np.ndarray, "rows targets features"]:
    """Sensitivities at all rows."""

    def slopes(chunk: Float[np.ndarray, "rows features"]) -> Float[np.ndarray, "rows targets features"]:
        return np.asarray(process.posterior(chunk, slopes=True, variances=False).jacobian)

    return in_chunks(slopes, (x,), n_jobs)


def find_process(
    table: Table,
    declared: Float[np.ndarray, " rows"],
    fold: Int[np.ndarray, " train"],
    settings: Settings,
    seed: int,
    n_jobs: int | None,
) -> FoundProcess:
    """From the training rows, which have a `fold`, or some of them; answers for all rows.

    `declared` is the variance of each row's target that is known beforehand.
    """
    search_rows, centres = _picked(len(fold), settings, seed)
    scouts, with_trend = search_rows[:SCOUTS], settings.prior == "ridge"
    tails = np.abs(table.x[: len(fold)]).max() > LONG_TAIL
    ranges = LOG_RANGES if tails else LOG_RANGES[:1]
    coordinates = [Coordinates(log_range) for log_range in ranges]
    views = [_process_rows(table, declared, c) for c in coordinates]
    scored = np.concatenate([search_rows, np.arange(len(fold), len(table.y))])  # and all validation rows

    def from_start(number: int, centre: tuple[float, ...]) -> FoundMaximum:
        return _with_some_noise(search(views[number].take(scouts), centre, SCOUT_ITERATIONS, with_trend=with_trend))

    def on_search_rows(number: int, end: FoundMaximum, iterations: int) -> FoundMaximum:
        more = search(views[number].take(search_rows), end.centre, iterations, end.theta, with_trend=with_trend)
        return _with_some_noise(more)

    def error(number: int) -> float:
        rows = views[number].take(scored)
        inside = rows.take(np.arange(len(search_rows)))
        process = GaussianProcess.condition(tried[number].theta, coordinates[number], inside)
        return _unseen_error(
            _answers(process, rows, np.arange(len(search_rows)), fold[search_rows], variances=False), rows
        )

    def try_too(other: Coordinates) -> bool:
        """Whether the evidence for them, beside the best so far, is very strong."""
        coordinates.append(other)
        views.append(_process_rows(table, declared, other))
        tried.append(from_start(len(tried), FIRST_START))
        return (tried[best].cost - tried[-1].cost) * len(scouts) > VERY_STRONG

    def error_of_other_half(number: int) -> float:
        """Levels are many: rows that gave the length scales are no judges of them."""
        total, some = 0.0, search_rows[: 2 * SCOUTS]
        rows, is_first = views[number].take(some), fold[some] % 2 == 0
        for own in (is_first, ~is_first):
            seen, other = rows.take(np.flatnonzero(own)), rows.take(np.flatnonzero(~own))
            theta = _with_some_noise(search(seen, FIRST_START, SCOUT_ITERATIONS, with_trend=with_trend)).theta
            process = GaussianProcess.condition(theta, coordinates[number], seen)
            apart = other.y - process.posterior_at(other.x, variances=False).mean
            total += float(np.average(apart**2, axis=0, weights=other.weight).sum())
        return total

    # One thread a search: threads inside small matrix products gain little, and their order changes last digits.
    with one_blas_thread():
        tried = run_all([lambda k=k: from_start(k, FIRST_START) for k in range(len(ranges))], n_jobs)
        best = min(range(len(ranges)), key=error) if len(ranges) > 1 else 0
        axes = principal_axes(views[best].x[: len(fold)])
        if axes is not None and try_too(coordinates[best]._replace(axes=axes)):
            best = len(tried) - 1
        levels = find_levels(table.x[: len(fold)]) if _are_exact(table) and len(np.unique(fold)) > 1 else None
        if levels is not None and try_too(coordinates[best]._replace(levels=levels)):
            last, judges = len(tried) - 1, (error, error_of_other_half)
            best = last if all(judge(last) < LEVELS_ERROR * judge(best) for judge in judges) else best
        again = run_all([lambda c=c: from_start(best, c) for c in OTHER_STARTS], n_jobs)
        ends = sorted([tried[best], *again], key=lambda one: one.cost)
        # With fewer rows another maximum may be the highest: the two best go on for a while.
        if len(search_rows) > len(scouts):
            on = [lambda end=end: on_search_rows(best, end, MORE_ITERATIONS) for end in ends[:2]]
            ends = sorted(run_all(on, n_jobs), key=lambda one: one.cost)
        found = on_search_rows(best, ends[0], ITERATIONS)
        robust = _robust(found, coordinates[best], views[best], search_rows, centres, fold, settings)
        if not _are_few(fold, coordinates[best]):
            return robust._replace(centre=found.centre)
        return _cross_fitted(robust, views[best], fold, found.centre, with_trend=with_trend)


def _are_exact(table: Table) -> bool:
    """Whether no feature has declared errors: a reading does not say which level it is."""
    return table.reading is None and (table.errors is None or not table.errors.declared.any())


def find_again(
    before: ProcessNumbers,
    table: Table,
    declared: Float[np.ndarray, " rows"],
    fold: Int[np.ndarray, " train"],
    settings: Settings,
    seed: int,
    centre: tuple[float, ...] = FIRST_START,
) -> FoundProcess:
    """The same process with other declared variances or more rows: the search goes on from where it had ended.

    `centre` is where that search had begun; length scales without a fold are searched for from there again.
    """
    search_rows, centres = _picked(len(fold), settings, seed)
    coordinates = before.coordinates
    rows = _process_rows(table, declared, coordinates)
    with one_blas_thread():
        with_trend = settings.prior == "ridge"
        found = _with_some_noise(
            search(rows.take(search_rows), centre, ITERATIONS, before.theta, with_trend=with_trend)
        )
        robust = _robust(found, coordinates, rows, search_rows, centres, fold, settings)
        if not _are_few(fold, coordinates):
            return robust._replace(centre=centre)
        return _cross_fitted(robust, rows, fold, centre, with_trend=with_trend)


def _process_rows(table: Table, declared: Float[np.ndarray, " rows"], coordinates: Coordinates) -> ProcessRows:
    return ProcessRows(coordinates(table.x), table.y.astype(np.float64), table.weight.astype(np.float64), declared)


def _picked(
    train: int, settings: Settings, seed: int
) -> tuple[Int[np.ndarray, " search_rows"], Int[np.ndarray, " centres"]]:
    """Rows for the search, and rows that become centres."""
    rng = np.random.default_rng(seed)
    search_rows = rng.permutation(train)[: settings.kernel_search_rows]
    count = settings.kernel_rows
    if train > MANY_ROWS:
        count = min(count, max(FEWEST_CENTRES, int(np.sqrt(MOST_WORK / train))))
    return search_rows, np.sort(rng.permutation(train)[:count])


def _with_some_noise(found: FoundMaximum) -> FoundMaximum:
    return found._replace(theta=np.append(found.theta[:-1], max(found.theta[-1], LEAST_LOG_NOISE)))


def _robust(
    found: FoundMaximum,
    coordinates: Coordinates,
    rows: ProcessRows,
    search_rows: Int[np.ndarray, " search_rows"],
    centres: Int[np.ndarray, " centres"],
    fold: Int[np.ndarray, " train"],
    settings: Settings,
) -> FoundProcess:
    """The process given its rows, each with its robust weight, unless unseen rows are served better without."""
    robust_centres, with_trend = spread(centres, MOST_ROBUST_CENTRES), settings.prior == "ridge"
    process = GaussianProcess.condition(found.theta, coordinates, rows.take(robust_centres))
    if not settings.robust:
        return _from_all(process, rows, robust_centres, centres, fold)
    plain, weights, train = process, np.ones(len(rows.y)), np.arange(len(fold))

    def searched(start: Float[np.ndarray, " numbers"] | None, iterations: int) -> GaussianProcess:
        reweighted = rows.reweighted(weights)
        more = search(reweighted.take(search_rows), found.centre, iterations, start, with_trend=with_trend)
        return GaussianProcess.condition(_with_some_noise(more).theta, coordinates, reweighted.take(robust_centres))

    def after(rounds: int, process: GaussianProcess) -> GaussianProcess:
        for _ in range(rounds):
            weights[train] = robust_weights(process, rows.take(train), robust_centres, weights)
            process = searched(process.numbers.theta, MORE_ITERATIONS)
        return process

    def errors(process: GaussianProcess, weights: Float[np.ndarray, " rows"]) -> Float[np.ndarray, "rows targets"]:
        answers = _answers(process, rows.reweighted(weights), robust_centres, fold, variances=False)
        return rows.y - answers.unseen_mean

    suspected = suspects(rows.take(train), search_rows)
    if suspected.any():  # so many or so large that they have hidden themselves in the noise: begin without them
        weights[train] = np.where(suspected, SUSPECT_WEIGHT, 1.0)
        process = searched(None, ITERATIONS)
    process, without = after(ROUNDS, process), robust_score(errors(plain, np.ones(len(rows.y))))
    error = errors(process, weights)
    is_clear = without - robust_score(error) > CLEAR
    if is_clear:
        process = after(MORE_ROUNDS, process)
        error = errors(process, weights)
    if robust_score(error) < without and not leans(error[weights >= LITTLE], drawn_in=is_clear):
        answers = _from_all(process, rows.reweighted(weights), robust_centres, centres, fold)
        if lie_together(rows.x[train] * usual_slopes(process.numbers.theta, rows.x.shape[1]), weights[train] < LITTLE):
            weights = np.maximum(weights, LITTLE)  # noise that is larger in a region: they count less, but they count
        return answers._replace(robust_weights=weights)
    return _from_all(plain, rows, robust_centres, centres, fold)


def _from_all(
    process: GaussianProcess,
    rows: ProcessRows,
    robust_centres: Int[np.ndarray, " robust_centres"],
    centres: Int[np.ndarray, " centres"],
    fold: Int[np.ndarray, " train"],
) -> FoundProcess:
    """The answers of a process that has seen `robust_centres`, with the same length scales and all `centres`."""
    if len(robust_centres) < len(centres):
        process = GaussianProcess.condition(process.numbers.theta, process.coordinates, rows.take(centres))
    return _answers(process, rows, centres, fold)


def _are_few(fold: Int[np.ndarray, " train"], coordinates: Coordinates) -> bool:
    levels = 0 if coordinates.levels is None else len(coordinates.levels.feature)
    return len(fold) <= FEW_ROWS + ROWS_A_LEVEL * levels and len(np.unique(fold)) > 1


def _cross_fitted(
    found: FoundProcess,
    rows: ProcessRows,
    fold: Int[np.ndarray, " train"],
    centre: tuple[float, ...],
    *,
    with_trend: bool,
) -> FoundProcess:
    """With answers for training rows by processes whose length scales have not seen them either.

    In a small table the length scales learn the rows by heart, and residuals of rows left out are too small.
    """
    mean, variance = found.unseen_mean.copy(), found.unseen_variance.copy()
    reweighted, coordinates = rows.reweighted(found.robust_weights), found.process.coordinates
    for number in np.unique(fold):
        own, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        theta = _with_some_noise(search(reweighted.take(rest), centre, SCOUT_ITERATIONS, with_trend=with_trend)).theta
        process = GaussianProcess.condition(theta, coordinates, reweighted.take(rest))
        mean[own], variance[own], _ = process.posterior_at(rows.x[own])
    return found._replace(unseen_mean=mean, unseen_variance=variance, centre=centre)


def _unseen_error(found: FoundProcess, rows: ProcessRows) -> float:
    return float(np.average((rows.y - found.unseen_mean) ** 2, axis=0, weights=rows.weight).sum())


def _answers(
    process: GaussianProcess,
    rows: ProcessRows,
    centres: Int[np.ndarray, " centres"],
    fold: Int[np.ndarray, " train"],
    *,
    variances: bool = True,
) -> FoundProcess:
    """What a process that has seen the rows at `centres` says of each row as if it were new."""
    mean, variance = np.empty(rows.y.shape), np.empty(len(rows.y))
    others = np.setdiff1d(np.arange(len(rows.y)), centres)
    for part in (others[block] for block in blocks(len(others), 1024)):
        mean[part], variance[part], _ = process.posterior_at(rows.x[part], variances=variances)
    mean[centres], variance[centres], _ = process.left_out(rows.y[centres], fold[centres], variances=variances)
    return FoundProcess(process, mean, variance, np.ones(len(rows.y)), FIRST_START)
