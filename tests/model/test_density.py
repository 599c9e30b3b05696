"""Data density perception: honest targets, attention that falls away from data, familiarity row by row."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from taylor_sensus.model.density import (
    DensityPerception,
    Reference,
    density_divergence,
    density_targets,
    familiarity,
    neighbour_log_density,
    reference_of,
    thinned,
)
from taylor_sensus.model.ensemble import FamiliarityScale
from taylor_sensus.model.networks import trainable
from taylor_sensus.model.squash import squash

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


def cloud(rows: int, features: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, features)).astype(np.float32)


def perception_of(rows: np.ndarray, landmarks: int = 256) -> DensityPerception:
    return DensityPerception.initial(squash(rows, tail="root"), landmarks, np.random.default_rng(1))


@partial(jax.jit, static_argnames="leave_out_self")
def attentions(perception: DensityPerception, rows: jax.Array, *, leave_out_self: bool) -> jax.Array:
    return jax.vmap(lambda row: perception(row, leave_out_self=leave_out_self))(rows)


def look(perception: DensityPerception, rows: np.ndarray, *, leave_out_self: bool = False) -> np.ndarray:
    return np.asarray(attentions(perception, np.float32(squash(rows, tail="root")), leave_out_self=leave_out_self))


# --------------------------------------------------------------------------------- coordinates


# ------------------------------------------------------------------------------------- targets


def test_density_by_hand_leaves_out_the_row_itself():
    """Distances on the line 0, 1, 3, 7: no row counts itself, which would be infinitely near."""
    expected = [1 + 1 / 9, 1 + 1 / 4, 1 / 4 + 1 / 9, 1 / 16 + 1 / 36]
    assert neighbour_log_density(LINE, LINE, 2, own=True) == pytest.approx(np.log(expected))


def test_density_of_a_new_point_counts_the_nearest_rows():
    points = np.array([[5.0], [-2.0]])
    expected = [1 / 4 + 1 / 4 + 1 / 16, 1 / 4 + 1 / 9 + 1 / 25]
    assert neighbour_log_density(points, LINE, 3, own=False) == pytest.approx(np.log(expected))


def test_more_neighbours_than_rows_are_all_rows():
    assert np.array_equal(
        neighbour_log_density(LINE, LINE, 3, own=True), neighbour_log_density(LINE, LINE, 100, own=True)
    )


@pytest.mark.parametrize("distinct", [1, 2, 5])
def test_duplicates_stay_finite(distinct):
    rows = np.repeat(cloud(distinct, 2), 6, axis=0)
    here = neighbour_log_density(rows, rows, 4, own=True)
    assert np.all(np.isfinite(here))
    assert np.all(np.isfinite(neighbour_log_density(rows + 1e-12, rows, 4, own=False)))
    assert np.all(here > neighbour_log_density(rows + 3.0, rows, 4, own=False).max())


def test_a_point_on_a_training_row_is_finite():
    assert np.all(np.isfinite(neighbour_log_density(LINE, LINE, 2, own=False)))


def test_dense_places_have_more_density():
    rows = np.concatenate([0.1 * cloud(50, 2), 5 + 2 * cloud(50, 2, seed=1)])
    log_density = neighbour_log_density(rows, rows, 8, own=True)
    assert log_density[:50].min() > log_density[50:].max()


@pytest.mark.parametrize("rows", [1, 2, 3, 40])
def test_targets_start_with_the_rows_and_go_beyond_them(rows):
    table = cloud(rows, 3)
    points = density_targets(table, 16, np.random.default_rng(0))
    assert points.x.shape == (3 * rows, 3) and points.log_density.shape == (3 * rows,)
    assert np.array_equal(points.x[:rows], table)
    assert np.all(np.isfinite(points.log_density))
    if rows == 40:
        assert np.allclose(points.log_density[:rows], neighbour_log_density(table, table, 16, own=True))
        assert points.log_density[rows:].min() < points.log_density[:rows].min(), "some land in empty places"


def test_noisy_copies_follow_each_feature_s_spread():
    table = cloud(500, 3) * np.array([1.0, 100.0, 0.0])
    points = density_targets(table, 4, np.random.default_rng(0))
    moved = np.median(np.abs(points.x[500:] - np.tile(table, (2, 1))), axis=0)
    assert 0.2 < moved[0] < 0.5
    assert moved[1] / moved[0] == pytest.approx(100, rel=0.2)
    assert moved[2] == 0, "a constant feature gets no noise"


def test_many_features_are_searched_as_exactly_as_few(monkeypatch):
    rows = cloud(4200, 20)
    points = cloud(300, 20, seed=1)
    found = [neighbour_log_density(rows, rows, 8, own=True), neighbour_log_density(points, rows, 8, own=False)]
    monkeypatch.setattr("taylor_sensus.model.density.FEW_FEATURES", 20)
    by_tree = [neighbour_log_density(rows, rows, 8, own=True), neighbour_log_density(points, rows, 8, own=False)]
    for one, other in zip(found, by_tree, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_thinned_rows_have_nearly_the_same_density_up_to_a_shift():
    rows = cloud(8000, 4) * np.exp(0.5 * cloud(8000, 1, seed=2))
    few = thinned(rows, np.random.default_rng(0), most=2000)
    assert few.shape == (2000, 4) and thinned(few, np.random.default_rng(0), most=2000) is few
    points = cloud(500, 4, seed=3)
    exact, rough = (neighbour_log_density(points, some, 16, own=False) for some in (rows, few))
    assert np.std(rough - exact) < 0.35 * np.std(exact)
    assert np.corrcoef(rough, exact)[0, 1] > 0.9


def test_a_large_table_has_fewer_points():
    points = density_targets(cloud(300, 2), 4, np.random.default_rng(0), limit=100)
    assert points.x.shape == (300, 2)
    again = density_targets(cloud(300, 2), 4, np.random.default_rng(0), limit=100)
    assert np.array_equal(points.x, again.x)


# ----------------------------------------------------------------------------------- attention


def test_attention_by_hand():
    rows = np.concatenate([cloud(20, 2), 4 + 3 * cloud(10, 2, seed=1)])
    metric = np.array([1.3, 0.4])
    perception = eqx.tree_at(lambda p: p.log_metric, perception_of(rows), np.log(metric).astype(np.float32))
    reach, bias = perception.reach.value, perception.bias.value
    x = squash(np.array([[1.0, 2.0]]), tail="root")
    squared = np.sum(((x - perception.landmarks.value) * metric) ** 2, axis=1)
    expected = np.log(np.sum(np.exp(bias - 0.5 * squared / reach**2)))
    assert look(perception, np.array([[1.0, 2.0]]))[0] == pytest.approx(expected, rel=1e-4)
    assert np.ptp(reach) > 0.1, "landmarks in thin data are seen from further away"


def test_unused_landmarks_change_nothing():
    rows = cloud(20, 2)
    plain = perception_of(rows)
    padded = DensityPerception.initial(squash(rows, tail="root"), 256, np.random.default_rng(1), size=64)
    assert padded.landmarks.value.shape == (64, 2)
    for where in (rows, rows + 0.7, 100 * rows):
        for alone in (False, True):
            assert look(padded, where, leave_out_self=alone) == pytest.approx(
                look(plain, where, leave_out_self=alone), rel=1e-5, abs=1e-5
            )


@pytest.mark.parametrize("features", [1, 4])
def test_attention_falls_without_limit_away_from_data(features):
    rows = cloud(100, features)
    direction = np.ones(features, np.float32)
    far = look(perception_of(rows), np.array([4.0, 8.0, 16.0, 1e2, 1e4, 1e6], np.float32)[:, None] * direction)
    assert np.all(np.diff(far) < 0) and np.all(np.isfinite(far))
    assert far[0] < look(perception_of(rows), rows).min()


def test_leaving_out_itself_lowers_a_lonely_row_most():
    rows = np.concatenate([0.2 * cloud(60, 2), [[6.0, 6.0]]]).astype(np.float32)
    perception = perception_of(rows)
    change = look(perception, rows) - look(perception, rows, leave_out_self=True)
    assert np.all(change >= 0) and change.argmax() == 60 and change[60] > 10
    elsewhere = rows + 0.7
    assert np.allclose(look(perception, elsewhere), look(perception, elsewhere, leave_out_self=True), atol=1e-3)


def test_landmarks_are_training_rows_and_no_more_than_asked():
    rows = cloud(300, 2)
    stored = perception_of(rows, landmarks=64).landmarks.value
    assert stored.shape == (64, 2)
    assert {tuple(row) for row in stored} <= {tuple(row) for row in squash(rows, tail="root")}
    assert perception_of(rows[:20], landmarks=64).landmarks.value.shape == (20, 2)


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_tiny_tables_have_a_finite_attention(rows):
    perception = perception_of(cloud(rows, 2))
    assert np.all(np.isfinite(look(perception, cloud(5, 2, seed=3))))


def test_landmarks_are_stored_and_the_metric_is_trained():
    trained, fixed = trainable(perception_of(cloud(30, 3)))
    assert trained.landmarks is None and fixed.landmarks.value.shape == (30, 3)
    assert trained.log_metric.shape == (3,) and fixed.log_metric is None


# ---------------------------------------------------------------------------------- divergence


def test_divergence_by_hand_and_in_the_printed_direction():
    attention, density = np.log(np.array([0.5, 0.5])), np.log(np.array([0.25, 0.75]))
    expected = 0.5 * np.log(0.5 / 0.25) + 0.5 * np.log(0.5 / 0.75)
    assert density_divergence(jnp.array(attention), jnp.array(density)) == pytest.approx(expected, rel=1e-5)
    assert density_divergence(jnp.array(density), jnp.array(attention)) != pytest.approx(expected, rel=1e-2)


def test_divergence_is_zero_only_for_equal_shapes():
    density = jnp.array([0.3, -1.0, 2.0, 0.5])
    assert density_divergence(density, density) == pytest.approx(0, abs=1e-6)
    assert density_divergence(density + 5.0, density) == pytest.approx(0, abs=1e-6), "only differences count"
    for place in range(4):
        assert density_divergence(density.at[place].add(0.3), density) > 1e-3
    random = np.random.default_rng(0).standard_normal((100, 2, 6))
    assert all(density_divergence(jnp.array(a), jnp.array(b)) > 0 for a, b in random)


def test_training_on_the_divergence_teaches_where_data_are():
    """A few steps bring the attention close to the neighbours' density, up to a constant."""
    rows = squash(np.concatenate([0.3 * cloud(80, 2), 3 + cloud(40, 2, seed=1)]).astype(np.float32), tail="root")
    points = density_targets(rows, 8, np.random.default_rng(0))
    x, log_density = jnp.asarray(points.x, jnp.float32), jnp.asarray(points.log_density, jnp.float32)
    trained, fixed = trainable(DensityPerception.initial(rows, 120, np.random.default_rng(0)))
    adam = optax.adam(0.05)

    def cost(trained):
        return density_divergence(jax.vmap(eqx.combine(trained, fixed))(x), log_density)

    @jax.jit
    def step(trained, state):
        change, state = adam.update(jax.grad(cost)(trained), state)
        return optax.apply_updates(trained, change), state

    before, state = float(cost(trained)), adam.init(trained)
    for _ in range(150):
        trained, state = step(trained, state)
    assert cost(trained) < 0.9 * before
    learned = jax.vmap(eqx.combine(trained, fixed))(x)
    dense = points.log_density > np.quantile(points.log_density, 0.3)
    assert np.corrcoef(np.asarray(learned)[dense], points.log_density[dense])[0, 1] > 0.8


# --------------------------------------------------------------------------------- familiarity


def test_familiarity_lies_between_0_and_1_and_rises_with_attention():
    attention = jnp.linspace(-2000, 100, 500)
    k = np.asarray(familiarity(attention, Reference(-8.0, 2.0)))
    assert np.all((k >= 0) & (k <= 1)) and np.all(np.diff(k) >= 0)
    middle = (k > 1e-5) & (k < 1 - 1e-5)
    assert np.all(np.diff(k[middle]) > 0)
    assert k[0] == 0 and k[-1] == 1


def test_usual_rows_are_familiar_and_rows_below_the_caution_are_not():
    attention = 5 + 2 * np.random.default_rng(0).standard_normal(5000)
    reference = reference_of(jnp.array(attention), spread_factor=3.0)
    k = np.asarray(familiarity(jnp.array([5.0, 5.0 - 2, 5.0 - 3 * 2, 5.0 - 5 * 2]), reference))
    assert k[0] > 0.999 and k[1] > 0.99
    assert k[2] == pytest.approx(0.5, abs=0.1)
    assert k[3] < 0.01
    later = familiarity(jnp.array(5.0 - 5 * 2), reference_of(jnp.array(attention), spread_factor=6.0))
    assert later > k[3], "more caution, slower to fall back on the prior"


def test_equal_rows_do_not_break_the_constants():
    reference = reference_of(jnp.full(10, 3.0))
    assert np.all(np.isfinite(reference)) and reference.spread > 0
    assert familiarity(jnp.array(3.0), reference) > 0.99


@pytest.mark.parametrize("features", [1, 4])
def test_familiarity_is_high_at_data_and_0_far_away(features):
    rows = cloud(150, features)
    perception = perception_of(rows)
    reference = reference_of(jnp.array(look(perception, rows, leave_out_self=True)))
    near = familiarity(look(perception, 0.5 * cloud(50, features, seed=5)), reference)
    assert np.all(np.asarray(near) > 0.9)
    far = familiarity(look(perception, np.array([[10.0], [1e3], [1e6]], np.float32) * np.ones(features)), reference)
    assert np.all(np.asarray(far) < 1e-3) and far[-1] == 0


def test_a_row_s_familiarity_does_not_depend_on_its_company():
    rows = cloud(50, 3)
    perception = perception_of(rows)
    alone = [float(familiarity(look(perception, row[None]), Reference(-3.0, 1.0))[0]) for row in rows[:5]]
    together = familiarity(look(perception, rows), Reference(-3.0, 1.0))[:5]
    reversed_order = familiarity(look(perception, rows[::-1]), Reference(-3.0, 1.0))[::-1][:5]
    assert np.asarray(together) == pytest.approx(alone, rel=1e-5)
    assert np.asarray(reversed_order) == pytest.approx(alone, rel=1e-5)
    assert np.ptp(alone) > 1e-4


def test_predictions_use_the_same_familiarity():
    """The fitted model has its own NumPy form of it; the two must not drift apart."""
    attention = np.linspace(-30, 10, 100)
    stored = FamiliarityScale(np.array([-5.0]), np.array([1.5]))(attention[:, None])
    assert stored == pytest.approx(np.asarray(familiarity(jnp.array(attention), Reference(-5.0, 1.5))), abs=1e-6)
