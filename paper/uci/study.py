"""The study `uci`: which datasets, methods and splits. Light, as `paper.engine.study` is."""

from __future__ import annotations

from dataclasses import replace

from paper.engine.study import Study, every
from paper.uci.methods import UCI_METHODS

NINE = (
    *("boston_housing", "concrete", "energy_efficiency", "kin8nm", "naval_propulsion"),
    *("power_plant", "protein_structure", "wine_quality", "yacht"),
)
"""The tables of the benchmark."""
LARGE = ("kin8nm", "naval_propulsion", "power_plant", "protein_structure")
DISTINCT = "wine_quality_distinct"
"""One in seven rows of the wines repeats another, so that a random split puts copies on both sides."""
SPLITS = {name: 5 if name == "protein_structure" else 20 for name in (*NINE, DISTINCT)}
"""As many as the literature has."""
UCI = Study(
    name="uci",
    about="the standard benchmark of error bars: nine UCI tables, 20 splits",
    tasks=lambda wanted: [
        task
        for dataset in wanted.datasets or (("yacht",) if wanted.quick else SPLITS)
        for task in every(UCI, replace(wanted, datasets=[dataset]), [dataset], range(SPLITS[dataset]))
        if task.seed < SPLITS[dataset]
    ],
    place="paper.uci",
    methods=tuple(UCI_METHODS),
    datasets=tuple(SPLITS),
    parameters={"quick": False},
)
