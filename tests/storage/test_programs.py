"""Compiled programs on disk: damaged ones are replaced, the folder stays small, and processes share it."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from taylor_sensus.storage.programs import ENDING, ProgramFiles
from tests.tiny import DETAILS, TINY

DAMAGES = {
    "cut short": lambda content: content[: len(content) // 2],
    "overwritten": lambda content: bytes(len(content)),
    "one bit": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "only its digest": lambda content: content[:32],
    "empty": lambda content: b"",
}
COMPILED = {**TINY, "contrast": "theory"}  # only JAX can train it
FIT = f"""
import jax
import numpy as np
from taylor_sensus import TSNetRegressor
from taylor_sensus.storage.compilation import use_compilation_cache
use_compilation_cache()
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # a quick machine keeps programs too
X = np.random.default_rng(0).normal(size=(40, 4))
mean, std = TSNetRegressor(**{COMPILED}, details={DETAILS}).fit(X, X[:, 0]).predict(X, return_std=True)
print(*mean[:4], *std[:4])
"""


def whole(folder) -> list[str]:
    """The programs of a folder that are whole."""
    files = ProgramFiles(folder)
    return sorted(p.name for p in folder.glob(f"*{ENDING}") if files.get(p.name.removesuffix(ENDING)) is not None)


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_program_is_removed_and_can_be_written_again(tmp_path, kind):
    files = ProgramFiles(tmp_path)
    assert files.get("one") is None
    files.put("one", b"program" * 100)
    assert files.get("one") == b"program" * 100
    path = tmp_path / f"one{ENDING}"
    path.write_bytes(DAMAGES[kind](path.read_bytes()))
    assert files.get("one") is None and not path.exists()
    files.put("one", b"again")
    assert files.get("one") == b"again"


def test_the_program_that_was_not_used_for_longest_goes_first(tmp_path):
    (tmp_path / "of_another_version-cache").write_bytes(bytes(300))
    os.utime(tmp_path / "of_another_version-cache", (1, 1))
    files = ProgramFiles(tmp_path, most_bytes=1000)
    for age, key in ((3, "a"), (2, "b")):
        files.put(key, bytes(300))
        os.utime(tmp_path / f"{key}{ENDING}", (1e9 - age, 1e9 - age))
    files.get("a")  # used now
    files.put("c", bytes(300))
    assert not (tmp_path / "of_another_version-cache").exists()
    files.put("d", bytes(300))
    assert [key for key in "abcd" if files.get(key) is not None] == ["a", "c", "d"]
    files.put("too large", bytes(1000))
    assert files.get("too large") is None and files.get("a") is not None


def test_a_disk_that_refuses_is_no_failure(tmp_path, monkeypatch):
    files = ProgramFiles(tmp_path)
    (tmp_path / f"a folder{ENDING}").mkdir()
    assert files.get("a folder") is None
    files.put("a folder", b"x")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("taylor_sensus.storage.programs.write_atomically", full)
    files.put("one", b"x")
    assert files.get("one") is None
    ProgramFiles(tmp_path / "nowhere").put("one", b"x")


def test_writers_readers_and_removers_at_once(tmp_path):
    """A reader sees nothing or a whole program, whoever writes, removes or damages it meanwhile."""
    programs = {f"{n}": bytes([n]) * (1000 + n) for n in range(8)}
    wrong = []

    def work(seed: int) -> None:
        rng, files = np.random.default_rng(seed), ProgramFiles(tmp_path, most_bytes=5000)
        for _ in range(150):
            key = str(rng.integers(8))
            files.put(key, programs[key])
            found = files.get(str(other := rng.integers(8)))
            if found not in (None, programs[str(other)]):
                wrong.append(other)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 5000 + 4 * 1100


def fitting(folder) -> subprocess.Popen:
    """A tiny fit in a process of its own; a warning of JAX about its cache would be an error."""
    return subprocess.Popen(
        [sys.executable, "-W", "error:Error:UserWarning", "-c", FIT],
        env={**os.environ, "TAYLOR_SENSUS_CACHE": str(folder), "JAX_RAISE_PERSISTENT_CACHE_ERRORS": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(process: subprocess.Popen) -> str:
    told, trouble = process.communicate(timeout=300)
    assert process.returncode == 0, trouble
    assert "persistent compilation cache" not in trouble
    return told


@pytest.mark.slow  # three processes compile a tiny model
def test_fits_heal_their_cache_alone_and_at_once(tmp_path):
    first = said(fitting(tmp_path))
    (folder,) = (tmp_path / "compiled").iterdir()
    kept = whole(folder)
    assert kept
    for name, damage in zip(kept, [*DAMAGES.values()] * len(kept), strict=False):
        (folder / name).write_bytes(damage((folder / name).read_bytes()))
    both = [fitting(tmp_path), fitting(tmp_path)]
    assert [said(one) for one in both] == [first, first]
    assert whole(folder) == kept
    assert not list(folder.glob("*.part"))
