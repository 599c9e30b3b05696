"""Several processes that fit together: what `jax.distributed` needs so that a lost process is noticed."""

from __future__ import annotations

import atexit
import sys
import time
from contextlib import suppress
from typing import Any

from taylor_sensus.errors import SettingError

HEARTBEAT = 30
"""Seconds without a sign of life after which a process counts as lost."""
LAST = 3.0
"""Seconds for which the first process outlives the others, so that they can take their leave of it."""


def initialize(
    coordinator_address: str | None = None, num_processes: int | None = None, process_id: int | None = None, *,
    heartbeat_timeout_seconds: int = HEARTBEAT, **options: Any,
) -> None:  # fmt: skip
    """Join the other processes, before anything else is done with JAX; then all call `TSNetRegressor.fit_dataset`.

    The same as ``jax.distributed.initialize``, with collective operations on CPUs switched on (gloo), and a lost
    process noticed within a minute. Under Slurm, Open MPI and mpi4py nothing needs to be given: JAX finds out.

    Parameters
    ----------
    coordinator_address : str, optional
        Host and port of the first process, such as ``"node0:4321"``.
    num_processes : int, optional
        How many there are.
    process_id : int, optional
        Number of this one, from 0.
    heartbeat_timeout_seconds : int, default=30
        Seconds without a sign of life after which a process counts as lost.
    **options : optional
        Other arguments of ``jax.distributed.initialize``.
    """
    import jax

    try:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.config.update("jax_enable_recoverability", True)  # or JAX ends this process without a word of ours
        jax.distributed.initialize(
            coordinator_address, num_processes, process_id, heartbeat_timeout_seconds=heartbeat_timeout_seconds,
            **options,
        )  # fmt: skip
    except (RuntimeError, ValueError) as error:
        raise SettingError(f"these processes cannot be joined: {error}") from error
    atexit.register(_leave_together)


def _leave_together() -> None:
    """Wait for the others at the end, and the first process, on which all lean, goes last; not after an error."""
    import jax
    from jax.experimental import multihost_utils

    if hasattr(sys, "last_value"):
        return
    with suppress(Exception):
        multihost_utils.sync_global_devices("end")
        if jax.process_index():
            jax.distributed.shutdown()
        else:
            time.sleep(LAST)
