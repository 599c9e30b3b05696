"""Every study by name: the one list to add a study to. Light, as `engine/study.py` is: no NumPy, no JAX."""

from __future__ import annotations

from paper.ablation.study import ABLATION
from paper.active.study import ACTIVE
from paper.antinoise.study import ANTINOISE
from paper.calibration.study import CALIBRATION
from paper.comparison.study import COMPARISON
from paper.declared_errors.study import DECLARED_ERRORS
from paper.deviations.study import DEVIATIONS
from paper.engine.study import Study
from paper.honesty.study import HONESTY
from paper.published.study import PUBLISHED
from paper.scaling.study import SCALING
from paper.speed.study import SPEED
from paper.timing.study import TIMING
from paper.toy_ablation.study import TOY_ABLATION
from paper.toys.study import TOYS
from paper.uci.study import UCI

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        *(COMPARISON, TIMING, ABLATION, CALIBRATION, SPEED, PUBLISHED, UCI, HONESTY, DECLARED_ERRORS, ANTINOISE),
        *(ACTIVE, TOYS, TOY_ABLATION, DEVIATIONS, SCALING),
    )
}
