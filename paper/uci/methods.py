"""What the study `uci` compares, by name. Light: imports no NumPy."""

from __future__ import annotations

from paper.ablation.variants import variant
from taylor_sensus.baselines.registry import METHODS, Method
from taylor_sensus.settings import best, fast

OURS = ("tsnet", "fast", "best")
FAST = variant("fast", "TSNet, fast()", **fast())
BEST = variant("best", "TSNet, best()", **best())
HIST_BOOSTING = Method(
    "hist_boosting", "HistGradientBoosting", "baselines.hist_boosting:HistBoostingBaseline", "today",
    quick={"iterations": 20},
)  # fmt: skip
PROCESS = Method(
    "gp", "GP, at most 2,000 rows", "baselines.some_rows:SomeRowsGPBaseline", "today",
    quick={"kernel_rows": 60, "restarts": 0, "max_rows": 100},
)  # fmt: skip

_COMPARED = (
    METHODS["tsnet"], FAST, BEST, METHODS["catboost"], METHODS["extra_trees"], HIST_BOOSTING,
    METHODS["ngboost"], PROCESS, METHODS["deep_ensemble"], METHODS["mc_dropout"],
)  # fmt: skip
UCI_METHODS: dict[str, Method] = {method.name: method for method in _COMPARED}
RIVALS = tuple(name for name in UCI_METHODS if name not in OURS)
