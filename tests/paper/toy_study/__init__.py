"""A study of cheap arithmetic, to test the machinery. `python -m toy_study run toy` is its command line.

What a task does is told by its dataset: `calm` computes, `slow` sleeps first, `failing` raises for seed 1, `deadly`
kills its own process for seed 1, `nan` has no number for seed 1, `threads` tells how many threads it may use.
"""

from __future__ import annotations

from paper.engine.study import Study, every
from paper.studies import STUDIES

TOY = Study(
    name="toy",
    about="cheap arithmetic",
    tasks=lambda wanted: every(TOY, wanted, ("calm",), seeds=range(4)),
    place="toy_study",
    methods=("sum", "product"),
    datasets=("calm", "slow", "failing", "deadly", "nan", "threads"),
    parameters={"quick": False, "noise": 0.0},
)
STUDIES["toy"] = TOY
