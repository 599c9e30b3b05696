"""The bench in miniature: it runs, and surrounding a step costs little beside the step."""

import re

import numpy as np
import pandas as pd
import pytest

from bench import steps
from tests.published import need_dataset

pytestmark = pytest.mark.slow  # most fit the default


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(steps, "STEPS", 32)
    monkeypatch.setattr(steps, "BATCH", 32)
    monkeypatch.setattr(steps.importlib.util, "find_spec", lambda name: None)


def test_bench_reports_ratios():
    figures = steps.measure()
    assert {"mean: whole loop / bare step", "joint: whole loop / bare step", "members: vmap / threads"} <= set(figures)
    assert all(value > 0 for value in figures.values())
    # Loose here, because tests share the machine; `make bench` on a quiet one is the measurement.
    assert figures["joint: whole loop / bare step"] < 3


def test_speed_in_miniature(capsys):
    """Each line has its figures, and those that can be told on a busy machine are as they must be."""
    pytest.importorskip("catboost")
    from bench import speed

    speed.main(["--quick"])
    shown = capsys.readouterr().out
    assert "442 x 10" in shown and "warm / CatBoost, geometric mean: " in shown
    limits = dict(re.findall(r"^(\S.*?) {2,}([0-9.]+) .*at most [0-9.]+$", shown, flags=re.MULTILINE))
    assert len(limits) == 13
    assert float(limits["import TSNetRegressor, beyond sklearn.base and pandas"]) < 0.8
    assert float(limits["mistake on the command line: missing model"]) < 1.2
    assert float(next(value for name, value in limits.items() if name.startswith("taylor-sensus predict"))) < 8


def test_files_in_miniature(capsys):
    """Killed when a part is there, gone on with, and all rows are there in order."""
    from bench import files

    files.main(["--quick", "--kill", "--jobs", "1"])
    killed, rows, speed = capsys.readouterr().out.splitlines()
    assert killed.startswith("killed when ")
    went_on = re.match(r"(\d+),000 of 30,000 rows in .* s, (\d+) parts", rows)
    assert went_on and 15 <= int(went_on[2]) < 30 and int(went_on[1]) + int(went_on[2]) == 30
    assert re.search(r"rows/s with 1 processes; peak memory of all processes [\d,]+ MB", speed)


def test_fits_from_files_in_miniature(capsys):
    from bench import fit_files

    fit_files.main(["--quick"])
    files, memory = capsys.readouterr().out.splitlines()
    found = [float(re.findall(r"error ([0-9.]+)", line)[0]) for line in (files, memory)]
    assert files.startswith("files (34,000 rows)") and found[0] == pytest.approx(found[1], rel=0.3)


def test_levels_in_miniature(capsys):
    """Things that are numbered are told apart, and the process without levels errs more."""
    from bench import levels

    levels.main(["--quick"])
    line = dict(re.findall(r"^(\S+) +(\S+)$", capsys.readouterr().out, flags=re.MULTILINE))
    assert int(line["chosen"]) == 1 and float(line["mse"]) < 0.5 * float(line["mse_without"])


def test_sharing_in_miniature(capsys):
    """Its gradient is the slope of its loss, and every kind of ensemble is measured."""
    from bench import sharing

    rng = np.random.default_rng(0)
    start = sharing.new_mean(sharing.Shape(3, 1, np.zeros(3), np.ones(3)), sharing.DEFAULTS, rng, 0.5)
    shared = sharing.SharedPass(start, 4, rng)
    views = [0.5 * rng.normal(size=array.shape) for array in shared.arrays]
    rows = sharing.MeanBatch(rng.normal(size=(20, 3)), rng.normal(size=(20, 1)), rng.uniform(0.5, 1, 20))
    gradient, unused = ([np.zeros_like(view) for view in views] for _ in range(2))
    shared(views, gradient, rows)
    for view, slope in zip(views, gradient, strict=True):
        place = tuple(rng.integers(0, size) for size in view.shape)
        before, losses = view[place], []
        for step in (1e-4, -1e-4):
            view[place] = before + step
            losses.append(shared(views, unused, rows))
        view[place] = before
        assert (losses[0] - losses[1]) / 2e-4 == pytest.approx(slope[place], rel=1e-3, abs=1e-7)
    sharing.main(["--quick"])
    shown = capsys.readouterr().out
    assert all(f"{kind} " in shown for kind in sharing.EPOCHS)


def test_measurement_errors_in_miniature():
    from bench import measurement_errors as errors

    found = errors.averages(lambda seed: errors.toy_r(60, seed), 1)
    assert found["rank"][0] > 0.5 and found["NLL"][0] < 0.6 and 0.7 < found["held"][0] < 1
    assert errors.flag(0)["straight"] == 1.0


# ------------------------------------------------------------------------------------------- other libraries


def bench_of_peers(tmp_path, *arguments):
    from bench import peers

    peers.main([*arguments, "--quick", "--seeds", "0", "--results", str(tmp_path)])


def test_peers_in_miniature(tmp_path, capsys):
    """With those of the development environment; the second command finds everything done."""
    pytest.importorskip("catboost")
    pytest.importorskip("ngboost")
    asked = ("uncertainty", "--cases", "diabetes", "--peers", "tsnet,catboost,ngboost")
    bench_of_peers(tmp_path, *asked)
    assert capsys.readouterr().out.count("seed 0: rmse") == 3
    found = pd.read_csv(tmp_path / "peers_uncertainty.csv").set_index("peer")
    assert list(found.index) == ["tsnet", "catboost", "ngboost"]
    assert found["coverage_90"].between(0.75, 1).all() and found["rmse"].between(45, 80).all()
    assert found.loc["catboost", "versions"].startswith("catboost ") and found["day"].notna().all()
    assert found.loc["tsnet", "command"].startswith("python -m bench.peers uncertainty --cases diabetes")
    bench_of_peers(tmp_path, *asked)
    assert capsys.readouterr().out == ""
    bench_of_peers(tmp_path, "formula", "--cases", "30 rows", "--peers", "tsnet_prior,rough")
    errors = pd.read_csv(tmp_path / "peers_formula.csv").set_index("peer")
    assert errors.loc["tsnet_prior", "rmse_inside"] < errors.loc["rough", "rmse_inside"]
    capsys.readouterr()
    from bench import peers

    peers.main(["tables", "--results", str(tmp_path)])
    assert capsys.readouterr().out.count("wrote") == 2
    assert "| NGBoost | " in (tmp_path / "peers_uncertainty.md").read_text()


def test_a_round_of_experiments(tmp_path):
    """Rows are added without repetition; what is known can only become more."""
    need_dataset("concrete")
    bench_of_peers(tmp_path, "experiments", "--peers", "tsnet_max,random")
    found = pd.read_csv(tmp_path / "peers_experiments.csv")
    assert list(found["rows"]) == [60, 80, 60, 80]
    for _, runs in found.groupby("peer"):
        assert runs["best"].is_monotonic_increasing and runs["ten_best"].is_monotonic_increasing
    start, end = found["round"] == 0, found["round"] == 1
    assert found[start]["rmse"].nunique() == 1 and found[end]["rmse"].nunique() == 2


def test_a_peer_that_is_not_installed_is_skipped(tmp_path, capsys, monkeypatch):
    from bench import peers
    from bench.peers_records import Peer

    absent = Peer("absent", "Nobody", ("no-such-package",))
    monkeypatch.setitem(peers.TASKS, "formula", peers.TASKS["formula"]._replace(peers=(absent,)))
    bench_of_peers(tmp_path, "formula")
    assert capsys.readouterr().out == "Nobody is skipped: install it with pip install no-such-package\n"
    with pytest.raises(SystemExit):
        bench_of_peers(tmp_path, "formula", "--peers", "lmfit")
    assert "formula has no peer 'lmfit'; it has absent" in capsys.readouterr().err


def test_target_statistics_never_see_their_own_row():
    """Categories in miniature: a training row's statistic does not change with its own target."""
    from bench.categories import smoothed_means, table, with_statistics

    X, y = table(70, 5, 1.0, 0)
    train = np.arange(70) < 50
    before = with_statistics(X, y, train, 0)["kind"].to_numpy()
    y[3] += 100
    after = with_statistics(X, y, train, 0)["kind"].to_numpy()
    assert after[3] == before[3] and (after[50:] != before[50:]).any()
    found = smoothed_means(np.array(["a", "a", "b", "b"]), np.array([0.0, 0.2, 1.0, 1.2]), np.array(["a", "c"]))
    assert 0.1 < found[0] < 0.6 and found[1] == pytest.approx(0.6)


def test_the_cost_model_finds_the_costs_that_made_its_points():
    from bench import costs

    true = costs.Costs(2e-4, 3e-6, 5e-4, 1e-6, 4e-6, 1e5)
    points = [
        {"kind": "step", "processes": n, "rows": rows, "bytes": 1e5,
         "seconds": true.step_seconds(n, rows, turns=max(n / 2, 1.0))}
        for n, rows in costs.STEPS
    ]  # fmt: skip
    points += [{"kind": kind, "processes": 1, "rows": 1000, "bytes": 0, "seconds": 1000 * seconds}
               for kind, seconds in {"survey": 1e-6, "pool": 4e-6}.items()]  # fmt: skip
    found = costs.fitted(pd.DataFrame(points), cores=2)
    assert found == pytest.approx(true, rel=1e-6)
    assert found.step_seconds(4, 10, bandwidth=1e8) == pytest.approx(2e-4 + 3e-5 + 1e-3 + 1.5e-3)
    assert "64 machines" in costs.told(found, 1e9, 64, 8192, 9.5, 1.0, 1e9)


def test_a_step_is_timed():
    from bench import costs

    seconds, size = costs.one_process(1, 0, 32, "")
    assert 0 < seconds < 1 and size > 1e4
