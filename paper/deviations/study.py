"""The study `deviations`: which kinds of noise and methods. Light, as `paper.engine.study` is."""

from __future__ import annotations

from paper.engine.study import Study, every
from paper.toys.methods import DEFAULT, PRINTED, ToyMethod

NOISE_KINDS = ("gaussian", "gamma", "multiplicative", "salt_pepper", "shifted")
METHODS: dict[str, ToyMethod] = {method.name: method for method in (DEFAULT, PRINTED)}
DEVIATIONS = Study(
    name="deviations",
    about="noise that the model does not assume: gamma, multiplicative, salt and pepper, with a mean of its own",
    tasks=lambda wanted: every(DEVIATIONS, wanted, NOISE_KINDS, quick_datasets=("gamma", "shifted")),
    place="paper.deviations",
    methods=tuple(METHODS),
    datasets=NOISE_KINDS,
    parameters={"quick": False},
)
