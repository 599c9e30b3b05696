"""The study `declared_errors`: which cases, methods and repeats. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.declared_errors.cases import CASES
from paper.declared_errors.methods import COMPARED, DECLARED, NIGP, ODR, OWN, SIMEX, UNDECLARED
from paper.engine.study import Selection, Study, Task

RIVAL_REPEATS = 5
"""At most, where ours have more."""
QUICK = ("supernovae", "reading_wave_120_30", "limits_target")
QUICK_METHODS = (DECLARED, UNDECLARED, "extra_trees", NIGP, SIMEX, ODR)


def _tasks(wanted: Selection) -> list[Task]:
    """Each case with the methods that can answer it, so often as the case says; more seeds may be asked for."""
    names = wanted.datasets or (QUICK if wanted.quick else CASES)
    methods = wanted.methods or (QUICK_METHODS if wanted.quick else COMPARED)
    return [
        DECLARED_ERRORS.task(name, method, seed, quick=wanted.quick)
        for name in names
        for method in CASES[name].methods
        if method in methods
        for seed in wanted.seeds or range(1 if wanted.quick else _repeats(name, method))
    ]


def _repeats(name: str, method: str) -> int:
    return CASES[name].repeats if method in OWN else min(CASES[name].repeats, RIVAL_REPEATS)


DECLARED_ERRORS = Study(
    name="declared_errors",
    about="inputs with known errors: redshifts, supernovae, accelerations, simulations with known truth; limits",
    tasks=_tasks,
    place="paper.declared_errors",
    methods=tuple(COMPARED),
    datasets=tuple(CASES),
    parameters={"quick": False},
)
