"""The study `timing`: which datasets, methods and seeds. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.data.names import SIX
from paper.engine.study import Study, every

TIMING = Study(
    name="timing",
    about="seconds to fit and to predict, one task at a time",
    tasks=lambda wanted: every(TIMING, wanted, SIX, seeds=(0,)),
    place="paper.timing",
    parameters={"quick": False},
    alone=True,
    environment={"TAYLOR_SENSUS_CACHE": "off"},  # or else the first fit would be as fast as the last run made it
)
