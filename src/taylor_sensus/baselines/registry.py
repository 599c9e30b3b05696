"""Every method of the comparison by name. This is the only place where a label is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from taylor_sensus.errors import SettingError, did_you_mean
from taylor_sensus.settings import paper


@dataclass(frozen=True)
class Method:
    """How to make a method, and what a table of results needs to know of it."""

    name: str
    label: str
    place: str
    """module:Class, below the package; imported only when the method is made."""
    origin: str
    """"paper": a rival in the paper; "today": a rival of today; "ours"."""
    gives_std: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Constructor arguments that differ from the class's defaults."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for a tiny budget, to try that everything runs."""
    grid: Mapping[str, tuple] = field(default_factory=dict)
    """What a small search on validation rows may vary."""

    def make(self, *, random_state: int, n_jobs: int | None = None, quick: bool = False, **changes: Any) -> Any:
        """A new estimator."""
        module, _, name = self.place.partition(":")
        kind = getattr(import_module(f"taylor_sensus.{module}"), name)
        arguments = {**self.settings, **(self.quick if quick else {}), **changes}
        return kind(random_state=random_state, n_jobs=n_jobs, **arguments)


FEW_EPOCHS = {"epochs": 4}
PRINTED: dict[str, Any] = paper()["details"]
WIDTHS = {"width": (64, 128), "learning_rate": (0.01, 0.02)}

_METHODS = (
    # --- the paper's ten rivals --------------------------------------------------------------------
    Method("gprmk", "GPRMK", "baselines.gprmk:GPRMKBaseline", "paper",
           quick={"kernel_rows": 60, "restarts": 0}, grid={"kernel_rows": (400, 700)}),
    Method("mcrf", "MCRF", "baselines.mcrf:MCRFBaseline", "paper",
           quick={"trees": 20}, grid={"max_features": (0.33, 0.5, 1.0), "min_samples_leaf": (1, 3)}),
    Method("mlp", "MLP", "baselines.mlp:MLPBaseline", "paper", gives_std=False, quick=FEW_EPOCHS, grid=WIDTHS),
    Method("mc_dropout", "MC-drop", "baselines.mc_dropout:MCDropoutBaseline", "paper",
           quick={**FEW_EPOCHS, "draws": 8}, grid={"dropout": (0.05, 0.1, 0.2)}),
    Method("bnn_elbo", "BNN-ELBO", "baselines.bnn_elbo:BNNELBOBaseline", "paper",
           quick={**FEW_EPOCHS, "draws": 8}, grid={"prior_scale": (0.5, 1.0)}),
    Method("bnn_mcmc", "BNN-MCMC", "baselines.bnn_mcmc:BNNMCMCBaseline", "paper",
           quick={**FEW_EPOCHS, "cycles": 2, "draws": 2}, grid={"prior_scale": (0.5, 1.0)}),
    Method("bbp", "BBP", "baselines.bbp:BBPBaseline", "paper",
           quick={**FEW_EPOCHS, "draws": 8}, grid={"prior_mix": (0.25, 0.5)}),
    Method("vaer", "VAER", "baselines.vaer:VAERBaseline", "paper", gives_std=False,
           quick=FEW_EPOCHS, grid={"latent": (4, 8)}),
    Method("evidential", "Evidential", "baselines.evidential:EvidentialBaseline", "paper",
           quick=FEW_EPOCHS, grid={"evidence_weight": (0.01, 0.1)}),
    Method("mt_enet", "MT-ENet", "baselines.mt_enet:MTENetBaseline", "paper",
           quick=FEW_EPOCHS, grid={"evidence_weight": (0.01, 0.1)}),
    # --- today's rivals ----------------------------------------------------------------------------
    Method("catboost", "CatBoost", "baselines.catboost:CatBoostBaseline", "today",
           quick={"iterations": 30}, grid={"depth": (4, 6, 8)}),
    Method("extra_trees", "ExtraTrees", "baselines.extra_trees:ExtraTreesBaseline", "today",
           quick={"trees": 20}, grid={"max_features": (0.5, 1.0), "min_samples_leaf": (1, 3)}),
    Method("ngboost", "NGBoost", "baselines.ngboost:NGBoostBaseline", "today",
           quick={"iterations": 20}, grid={"depth": (3, 4)}),
    Method("deep_ensemble", "Deep ensemble", "baselines.deep_ensemble:DeepEnsembleBaseline", "today",
           quick={**FEW_EPOCHS, "members": 2}, grid=WIDTHS),
    Method("mean_then_variance", "Mean, then variance", "baselines.mean_then_variance:MeanThenVarianceBaseline",
           "today", quick={**FEW_EPOCHS, "members": 2}, grid=WIDTHS),
    # --- ours --------------------------------------------------------------------------------------
    Method("tsnet_paper", "TSNet as printed", "regressor:TSNetRegressor", "ours", settings=paper(),
           quick={"epochs": 4, "width": 16, "depth": 1},
           grid={"width": (32, 128), "details": (PRINTED, {**PRINTED, "contrast_weight": 1.0, "beta": 1.0})}),
    Method("tsnet", "TSNet", "regressor:TSNetRegressor", "ours",
           quick={"epochs": 4, "width": 16, "depth": 1, "members": 2}, grid=WIDTHS),
)  # fmt: skip

METHODS: dict[str, Method] = {method.name: method for method in _METHODS}


def method(name: str) -> Method:
    """The method of that name; a near match is suggested for a wrong one."""
    if name not in METHODS:
        raise SettingError(f"there is no method {name!r}{did_you_mean(name, METHODS, 'there are')}")
    return METHODS[name]
