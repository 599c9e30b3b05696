"""The study `published`: which datasets, methods and splits. Light, as `paper.engine.study` is."""

from __future__ import annotations

from dataclasses import replace

from paper.engine.study import Study, every

SEEDS = {"matbench_steels": range(5), "concrete": range(20)}
"""Folds of Matbench, and random splits."""
PUBLISHED = Study(
    name="published",
    about="the splits of others, beside their published figures",
    tasks=lambda wanted: [
        task
        for dataset in wanted.datasets or SEEDS
        for task in every(PUBLISHED, replace(wanted, datasets=[dataset]), [dataset], SEEDS[dataset])
    ],
    place="paper.published",
    methods=("tsnet", "catboost", "extra_trees"),
    datasets=tuple(SEEDS),
    parameters={"quick": False},
)
