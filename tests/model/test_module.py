"""Records that NumPy and JAX both know."""

import subprocess
import sys
from dataclasses import FrozenInstanceError

import jax
import numpy as np
import pytest

from taylor_sensus.model.module import Module, mapped, static


class Pair(Module):
    left: np.ndarray
    right: "Pair | None" = None
    name: str = static(default="")


TREE = Pair(np.arange(3.0), Pair(np.ones(2), name="inner"), "outer")


def test_both_map_the_same_arrays_in_the_same_order():
    ours, theirs = (map_(lambda a: 2 * a, TREE) for map_ in (mapped, jax.tree.map))
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    assert [leaf.tolist() for leaf in jax.tree.leaves(ours)] == [[0, 2, 4], [2, 2]]
    assert ours.right.name == "inner" and ours.name == "outer"


def test_several_trees_and_tuples():
    found = mapped(lambda a, b: np.stack([a, b]), (TREE, None), (TREE, None))
    assert found[0].left.shape == (2, 3) and found[1] is None


def test_records_do_not_change():
    with pytest.raises(FrozenInstanceError):
        TREE.left = np.zeros(1)  # type: ignore[misc]


def test_what_is_static_makes_another_structure():
    assert jax.tree.structure(Pair(np.ones(1), name="a")) != jax.tree.structure(Pair(np.ones(1), name="b"))


@pytest.mark.slow
def test_records_made_before_jax_was_there_are_known_to_it():
    code = (
        "import sys; from taylor_sensus.model.networks import Constant; made = Constant(1.0)\n"
        "assert 'jax' not in sys.modules\n"
        "import jax\n"
        "assert jax.tree.leaves(Constant(2.0)) == [2.0] and jax.tree.leaves(made) == [1.0]\n"
        "import taylor_sensus.model.networks, taylor_sensus.fit.loop"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
