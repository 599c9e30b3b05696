"""Compiled programs are kept where the user says, or not at all, and JAX's own setting is left alone."""

import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

SHOW = """
import jax
from taylor_sensus.storage.compilation import use_compilation_cache
print(use_compilation_cache())
print(jax.config.jax_compilation_cache_dir)
"""


def run(**environment) -> list[str]:
    """What a fresh process says: the folder of the cache, and the one that JAX has."""
    kept = {k: v for k, v in os.environ.items() if k not in ("TAYLOR_SENSUS_CACHE", "JAX_COMPILATION_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", SHOW], env={**kept, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_a_folder_is_made_where_the_user_says(tmp_path):
    ours, jax_has = run(TAYLOR_SENSUS_CACHE=str(tmp_path / "here"))
    assert ours == jax_has
    assert Path(ours).is_dir()
    assert Path(ours).is_relative_to(tmp_path / "here" / "compiled")


def test_without_a_wish_it_is_the_cache_folder_of_the_user(tmp_path):
    ours, _ = run(XDG_CACHE_HOME=str(tmp_path), HOME=str(tmp_path), LOCALAPPDATA=str(tmp_path))
    assert Path(ours).is_relative_to(tmp_path)
    assert "taylor-sensus" in ours


def test_it_can_be_switched_off():
    assert run(TAYLOR_SENSUS_CACHE="OFF") == ["None", "None"]


def test_a_folder_given_to_jax_is_left_alone(tmp_path):
    assert run(JAX_COMPILATION_CACHE_DIR=str(tmp_path / "mine"), TAYLOR_SENSUS_CACHE=str(tmp_path / "other")) == [
        "None",
        str(tmp_path / "mine"),
    ]
    assert not (tmp_path / "other").exists()


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    assert run(TAYLOR_SENSUS_CACHE=str(tmp_path / "file")) == ["None", "None"]


def test_programs_are_let_go_before_memory_maps_run_out():
    from taylor_sensus.storage.compilation import forget_programs_if_many

    program = jax.jit(lambda x: x + 1)
    program(1.0)
    assert program._cache_size() == 1
    assert not forget_programs_if_many(most=10**9)
    assert program._cache_size() == 1
    if not Path("/proc/self/maps").exists():
        pytest.skip("memory maps are counted on Linux only")
    assert forget_programs_if_many(most=0)
    assert program._cache_size() == 0
