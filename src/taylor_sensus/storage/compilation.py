"""Compiled programs are kept on disk, so that the second process on a machine starts fast.

Set the environment variable `TAYLOR_SENSUS_CACHE` to a folder to keep them there, or to `off` to keep none.
A cache folder that was already given to JAX is left alone. What is in the folder, and how large it may become:
`programs`.
"""

from __future__ import annotations

import hashlib
import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_dir

from taylor_sensus.errors import TaylorSensusError
from taylor_sensus.model.module import Later
from taylor_sensus.storage.programs import ProgramFiles

if TYPE_CHECKING:
    import jax
else:
    jax = Later("jax")

VARIABLE = "TAYLOR_SENSUS_CACHE"


@cache
def use_compilation_cache() -> Path | None:
    """Switch the cache on once a process; returns its folder, or None if it stays off."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted.lower() in ("off", "0", "no", "none") or getattr(jax.config, "jax_compilation_cache_dir", None):
        return None
    folder = Path(wanted or user_cache_dir("taylor-sensus")) / "compiled" / _machine()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            return None
    except OSError:
        return None
    _keep_programs(folder)
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    return folder


def _keep_programs(folder: Path) -> None:
    """Give JAX our files for this folder: its own are written in place, and one that is damaged stays so for ever.

    JAX has no public way to say so. A version of it that does this otherwise keeps programs in its own way.
    """
    with suppress(ImportError, AttributeError):
        from jax._src import compilation_cache

        of_jax = compilation_cache.get_file_cache

        def file_cache(path: str) -> Any:
            return (ProgramFiles(folder), path) if path == str(folder) else of_jax(path)

        compilation_cache.get_file_cache = file_cache


MOST_MAPS = 40_000
"""Linux allows a process 65,530 memory maps; a compiled program takes dozens, and one too many ends the process."""


def forget_programs_if_many(most: int = MOST_MAPS) -> bool:
    """Let go of JAX's compiled programs before a process that fits many kinds of tables runs out of memory maps.

    Programs that are needed again come back from the cache on disk. True if they were let go.
    """
    try:
        with open("/proc/self/maps", "rb") as maps:
            count = sum(1 for _ in maps)
    except OSError:
        return False  # not Linux: no such limit
    if count <= most:
        return False
    jax.clear_caches()
    return True


class Forks:
    """Whether this process is a fork of one in which JAX was at work: its threads are gone, and it would wait for them
    for ever."""

    def __init__(self) -> None:
        self.at_work = False
        self.broken = False
        if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
            os.register_at_fork(after_in_child=self.forked)

    def forked(self) -> None:
        """In a new child."""
        self.broken = self.at_work

    def begin(self) -> None:
        """A fit begins."""
        if self.broken:
            raise TaylorSensusError(
                "this process was forked from one that had already fitted a model, and JAX, which fits, does not "
                "survive a fork: it would wait for ever. Start processes with multiprocessing.get_context('spawn') or "
                "'forkserver', or fork before the first fit. Predictions work in forked processes."
            )
        self.at_work = True


forks = Forks()


def ready_to_compile() -> None:
    """Before a fit by JAX: refuse a forked process, keep programs on disk, and not too many in memory."""
    forks.begin()
    use_compilation_cache()
    forget_programs_if_many()


def _machine() -> str:
    """A name for this kind of processor: compiled programs must not travel to another."""
    text = platform.machine() + platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        text += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        pass
    return hashlib.sha256(text.encode()).hexdigest()[:12]
