"""The soak and the stress inputs in miniature: what they count is counted right."""

from pathlib import Path

import pandas as pd
import pytest

from bench import soak, stress
from bench.soak_library import SHAPES, Library
from bench.soak_writer import FAULTS, MODELS
from bench.stress_inputs import cases

RESULTS = Path(stress.__file__).parent / "results"


def test_stress_inputs_are_many_and_some_of_them_run(tmp_path, capsys):
    names = [case.name for case in cases()]
    assert len(names) == len(set(names)) >= 123
    path = tmp_path / "stress.csv"
    assert stress.main(["--peers", "taylor_sensus", "--cases", "missing", "--out", str(path)]) == 0
    table = pd.read_csv(path)
    assert len(table) == 6 and table["taylor_sensus"].str.startswith(("right", "refused")).all()
    assert "right" in capsys.readouterr().out


def test_the_committed_table_shows_every_input_and_no_refusal_that_is_too_strict():
    table = pd.read_csv(RESULTS / "stress.csv", keep_default_na=False)
    reasons = {case.name: case.may_refuse for case in cases()}
    assert dict(zip(table["input"], table["may_refuse"], strict=True)) == reasons
    assert set(table["taylor_sensus"]) == {"right", "refused"}


@pytest.mark.slow
def test_what_killed_writers_acknowledged_is_there_and_a_loss_is_noticed(tmp_path):
    library = Library(tmp_path)
    for name, shape in zip(MODELS, SHAPES, strict=False):
        library.act("fit", shape)
        library.models[shape.name].save(tmp_path / name)
    library.act("fit", SHAPES[0])
    assert not library.wrong, "the same fit, the same answer"
    made = soak.Soak.__new__(soak.Soak)  # without servers
    made.rng = soak.np.random.default_rng(0)
    for number, fault in enumerate(FAULTS):
        said = made._killed_writers(tmp_path, fault, [number])
        assert any(line.startswith("model") for line in said[number])
        assert soak.lost_of(tmp_path, said) == []
        assert soak.lost_of(tmp_path, {number: [*said[number], "journal 999999"]}) != []
