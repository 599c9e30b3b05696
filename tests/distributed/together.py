"""One of several processes that fit a folder of Parquet files together; `test_processes` starts it with its orders."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from taylor_sensus.distributed import initialize
from taylor_sensus.storage import checkpoints

orders: dict[str, Any] = json.loads(sys.argv[1])
if orders["count"] > 1:
    initialize(orders["address"], orders["count"], orders["rank"], heartbeat_timeout_seconds=20)

from taylor_sensus import TSNetRegressor  # noqa: E402  JAX must not begin before it is initialised
from taylor_sensus.out_of_core import fit as files  # noqa: E402

files.SAMPLE, files.POOL = 256, 800  # pyright: ignore[reportConstantRedefinition]
checkpoints.EVERY = 0.0  # pyright: ignore[reportConstantRedefinition]
model = TSNetRegressor(**orders["settings"]).fit_dataset(orders["folder"], "y", resume=orders["resume"])
out = Path(orders["out"])
out.mkdir(exist_ok=True)
model.save(out / f"{orders['rank']}.tsnet")
model.history_.to_csv(out / f"{orders['rank']}.csv", index=False)
