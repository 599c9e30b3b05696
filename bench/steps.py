"""Time of a training step, always as a ratio within one run, because machines are noisy.

- whole loop: what `TSNetRegressor` runs, shuffling, schedule, checks on held-out rows and best weights included;
- bare step: gradient and Adam on one fixed batch of the same network, in the same kind of loop;
- PyTorch eager: the same network, loss and optimiser, only if torch happens to be installed;
- members: threads against `vmap` and `lax.map`.

Run as `python -m bench.steps`.
"""

from __future__ import annotations

import importlib.util
import itertools
import time
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from taylor_sensus.fit.initial import Shape, new_block, new_mean
from taylor_sensus.fit.loop import ADAM
from taylor_sensus.fit.members import train
from taylor_sensus.fit.objectives import RunOptions, stage
from taylor_sensus.fit.padding import TrainingRows, split_rows
from taylor_sensus.model.chunks import run_all
from taylor_sensus.model.density import DensityPerception, DensityPoints, density_targets
from taylor_sensus.model.network import TaylorSensusNetwork, Variant, Weights, algorithm_1
from taylor_sensus.model.networks import trainable
from taylor_sensus.model.squash import squash
from taylor_sensus.settings import MANY_WIDTH, Settings

ROWS, FEATURES, BATCH, STEPS = 1024, 16, 128, 400
SETTINGS = Settings()
SHAPE = Shape(FEATURES, 1, np.zeros(FEATURES), np.ones(FEATURES))
PARTS = {
    "mean": Variant("off", "expected", "mixture", True),
    "joint": Variant("bounded", "expected", "mixture", True),
}
WEIGHTS = Weights(0.1, 1.0, 0.1, 0.1, 1.0, 1.0, 0.5)


def table(count: int = ROWS, features: int = FEATURES) -> TrainingRows:
    """A table of noise around a smooth function."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((count, features)).astype(np.float32)
    y = (np.sin(2 * x[:, :1]) + 0.1 * rng.standard_normal((count, 1))).astype(np.float32)
    ones = np.ones((count, 1), np.float32)
    return jax.device_put(TrainingRows(x, y, ones[:, 0], 0 * ones, ones))


def networks(rows: TrainingRows) -> dict[str, tuple[object, DensityPoints | None]]:
    """The network of each kind of run, with the points for its density loss."""
    rng = np.random.default_rng(0)
    near = squash(np.asarray(rows.x, np.float64), tail="root")
    points = density_targets(near, SETTINGS.neighbours, rng)
    points = DensityPoints(points.x.astype(np.float32), points.log_density.astype(np.float32))
    perception = DensityPerception.initial(near, SETTINGS.landmarks, rng)
    return {
        "mean": (new_mean(SHAPE, SETTINGS, rng, 0.5), None),
        "joint": (TaylorSensusNetwork(new_block(SHAPE, SETTINGS, rng, -3.0, -1.0), perception), points),
    }


def seconds(run: Callable[[], object], repeats: int = 5) -> float:
    """Best of several runs; the first, which compiles, does not count."""
    jax.block_until_ready(run())
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(run())
        times.append(time.perf_counter() - begin)
    return min(times)


def options(steps: int) -> RunOptions:
    """Numbers of an ordinary run, without early stopping."""
    return RunOptions(0.02, 0.02, 0.1, 0.0, steps, -(-steps // SETTINGS.checks), steps + 1, WEIGHTS)


def whole_loop(name: str, network, rows: TrainingRows, points) -> Callable[[], object]:
    """A whole training run of STEPS steps."""
    held = np.arange(0, ROWS, 8)
    split = split_rows(np.setdiff1d(np.arange(ROWS), held), held, np.ones(ROWS), ROWS, 128)

    def run():
        kind = stage(name, PARTS[name])
        return train(
            network, rows, points, split, options(STEPS), 0, stage=kind, batch_size=BATCH, checks=SETTINGS.checks
        ).network

    return run


def bare_step(name: str, network, rows: TrainingRows, points) -> Callable[[], object]:
    """Gradient and Adam on one fixed batch, STEPS times; the loss and its random draws are the same."""
    trained, fixed = trainable(network)
    batch = jax.tree.map(lambda a: a[:BATCH], rows)
    drawn = None if points is None else jax.tree.map(lambda a: a[:BATCH], points)

    def loss(weights, key):
        net = eqx.combine(weights, fixed)
        if name == "joint":
            return algorithm_1(net, batch, drawn, key, PARTS[name], WEIGHTS)
        return jnp.mean((jax.vmap(net)(batch.x) - batch.y) ** 2)

    def step(number, carry):
        weights, moments = carry
        key = jax.random.fold_in(jax.random.key(0, impl="unsafe_rbg"), number)
        change, moments = ADAM.update(jax.grad(loss)(weights, key), moments)
        return jax.tree.map(lambda p, c: p - 1e-3 * c, weights, change), moments

    program = jax.jit(lambda w: jax.lax.fori_loop(0, STEPS, step, (w, ADAM.init(w))))
    return lambda: program(trained)


def bare_mean_step(features: int, batch: int) -> Callable[[], object]:
    """The same for the mean network of a table with so many features and rows in a batch."""
    shape = Shape(features, 1, np.zeros(features), np.ones(features))
    network = new_mean(shape, SETTINGS, np.random.default_rng(0), 0.5)
    return bare_step("mean", network, table(batch, features), None)


def torch_loop(name: str, rows: TrainingRows) -> Callable[[], object]:
    """The same in PyTorch eager: mean network, Jacobian, second view, noise networks, density, Adam."""
    import torch  # pyright: ignore[reportMissingImports]

    torch.manual_seed(0)
    s = SETTINGS
    frequency = torch.nn.Parameter(0.5 * torch.randn(FEATURES, s.frequencies))
    phase = torch.nn.Parameter(torch.randn(FEATURES, s.frequencies))

    def perceptron(sizes: list[int]) -> torch.nn.Sequential:
        layers: list[torch.nn.Module] = []
        for into, out in itertools.pairwise(sizes):
            layers += [torch.nn.Linear(into, out), torch.nn.SiLU()]
        return torch.nn.Sequential(*layers[:-1])

    net = perceptron([FEATURES * (1 + s.frequencies), *[s.width or MANY_WIDTH] * s.depth, 1])
    noise = [perceptron([FEATURES, *[s.noise_width] * s.noise_depth, out]) for out in (FEATURES, 1)]
    landmarks = torch.randn(s.landmarks, FEATURES)
    metric, bias = torch.nn.Parameter(torch.zeros(FEATURES)), torch.nn.Parameter(torch.zeros(s.landmarks))

    def clip(x):
        return x / torch.sqrt(1 + (x / 3) ** 2)

    def mean_of(x):
        x = clip(x)
        waves = torch.cos(2 * torch.pi * frequency * x[:, :, None] + phase)
        return net(torch.cat([x, waves.flatten(1)], dim=1))

    def block(x):
        x = x.requires_grad_(True)
        mu = mean_of(x)
        (jacobian,) = torch.autograd.grad(mu.sum(), x, create_graph=True)
        variances = [torch.exp(s.noise_range * torch.tanh(n(clip(x)) / s.noise_range)) for n in noise]
        return mu, (jacobian**2 * variances[0]).sum(1, keepdim=True) + variances[1]

    def attention(x):
        squared = torch.cdist(x * torch.exp(metric), landmarks * torch.exp(metric)) ** 2
        return torch.logsumexp(bias - 0.5 * squared, dim=1)

    joint = name == "joint"
    weights = [frequency, phase, *net.parameters()]
    if joint:
        weights += [metric, bias, *[p for n in noise for p in n.parameters()]]
    optimiser = torch.optim.Adam(weights, lr=1e-3)
    x_all, y_all = torch.tensor(np.asarray(rows.x)), torch.tensor(np.asarray(rows.y))
    density = torch.randn(ROWS)

    def run():
        for _ in range(STEPS):
            chosen = torch.randint(0, ROWS, (BATCH,))
            x, y = x_all[chosen], y_all[chosen]
            if joint:
                mu, variance = block(x.clone())
                mu_2, variance_2 = block(x + 0.1 * torch.randn_like(x))
                gap = torch.log(variance) - torch.log(variance_2)
                contrast = ((mu - mu_2) ** 2 - 0.1 * gap**2 / (1 + gap**2)).mean()
                log_k = torch.log_softmax(attention(x), 0)
                divergence = (log_k.exp() * (log_k - torch.log_softmax(density[chosen], 0))).sum()
                k = torch.sigmoid(attention(x).detach())[:, None]
                total = k * variance + (1 - k) + k * (1 - k) * mu**2
                accuracy = (total.detach() ** 0.5 * (torch.log(total) + (y - k * mu) ** 2 / total)).mean()
                loss = accuracy + 0.1 * contrast + divergence
            else:
                loss = ((y - mean_of(x)) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        return np.zeros(1)

    return run


def member_ratios(rows: TrainingRows) -> dict[str, float]:
    """Time of four bare mean runs by threads, by `vmap` and by `lax.map`, over the time of the threads."""
    rng = np.random.default_rng(0)
    nets = [new_mean(SHAPE, SETTINGS, rng, 0.5) for _ in range(4)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *nets)
    x, y = rows.x[:BATCH], rows.y[:BATCH]

    def one_run(net):
        def loss(n):
            return jnp.mean((jax.vmap(n)(x) - y) ** 2)

        def step(_, carry):
            n, moments = carry
            change, moments = ADAM.update(jax.grad(loss)(n), moments)
            return jax.tree.map(lambda p, c: p - 1e-3 * c, n, change), moments

        return jax.lax.fori_loop(0, STEPS, step, (net, ADAM.init(net)))[0]

    single, by_vmap = jax.jit(one_run), jax.jit(jax.vmap(one_run))
    by_map = jax.jit(lambda s: jax.lax.map(one_run, s))
    jobs = [lambda n=n: jax.block_until_ready(single(n)) for n in nets]
    threads = seconds(lambda: run_all(jobs, None), 3)
    return {
        "vmap": seconds(lambda: by_vmap(stacked), 3) / threads,
        "lax.map": seconds(lambda: by_map(stacked), 3) / threads,
    }


def measure() -> dict[str, float]:
    """All figures: milliseconds a step and ratios."""
    rows = table()
    figures: dict[str, float] = {}
    with_torch = importlib.util.find_spec("torch") is not None
    for name, (network, points) in networks(rows).items():
        whole = seconds(whole_loop(name, network, rows, points)) / STEPS * 1e3
        bare = seconds(bare_step(name, network, rows, points)) / STEPS * 1e3
        figures |= {f"{name}: whole loop, ms": whole, f"{name}: bare step, ms": bare}
        figures[f"{name}: whole loop / bare step"] = whole / bare
        if with_torch:
            eager = seconds(torch_loop(name, rows), 2) / STEPS * 1e3
            figures |= {f"{name}: PyTorch eager, ms": eager, f"{name}: PyTorch / whole loop": eager / whole}
    for kind, ratio in member_ratios(rows).items():
        figures[f"members: {kind} / threads"] = ratio
    return figures


def main() -> None:
    """Print the table."""
    for name, value in measure().items():
        print(f"{name:<34} {value:8.3f}")


if __name__ == "__main__":
    main()
