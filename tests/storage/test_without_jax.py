"""The default fits, and a model file is loaded and asked, where JAX is not installed."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from taylor_sensus import load

GOLDEN = Path(__file__).parent / "golden"
ASKED = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("jax", "jaxlib", "equinox", "optax", "jaxtyping"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())

import json
import runpy
import warnings
from pathlib import Path

said = runpy.run_path(sys.argv[1])["said"]
warnings.simplefilter("ignore")
print(json.dumps({path.stem: said(path) for path in map(Path, sys.argv[2:])}))
"""
FIT = """
import numpy as np
from taylor_sensus import TSNetRegressor
from taylor_sensus.errors import MissingExtraError
from taylor_sensus.settings import paper

rng = np.random.default_rng(0)
x = rng.standard_normal((60, 2))
tiny = dict(members=2, epochs=4, width=8, random_state=0)
assert np.isfinite(TSNetRegressor(**tiny).fit(x, x[:, 0]).predict(x)).all()
TSNetRegressor(**tiny, time_limit=30).fit(x, x[:, 0])
TSNetRegressor(**{**tiny, "epochs": 2000}).fit(x, x[:, 0])  # so long that it would be compiled
for settings in (paper(), {"kernel": False}, {"contrast": "theory"}):
    try:
        TSNetRegressor(**settings).fit(x, x[:, 0])
    except MissingExtraError as problem:
        print(problem)
"""


def said(path: Path) -> list[list[float]]:
    """All that is predicted for the rows beside a golden model."""
    content = json.loads(path.with_suffix(".json").read_text())
    rows = pd.DataFrame(content["data"], columns=content["columns"])
    model = load(path)
    X = rows if hasattr(model, "feature_names_in_") else rows.to_numpy()
    found = model.predict_distribution(X)
    budget = model.noise_budget(X).mean(every=True).select_dtypes("number").to_numpy(float)
    low, high = found.interval(0.9)
    parts = [found.mean, found.std, found.aleatoric, found.epistemic, low, high, found.familiarity, budget]
    return [np.nan_to_num(part, nan=-1.0).ravel().tolist() for part in parts]


def without_jax(code: str, *arguments: str) -> str:
    start = code if code is ASKED else ASKED.partition("import json")[0] + code
    done = subprocess.run([sys.executable, "-c", start, *arguments], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.filterwarnings("ignore::taylor_sensus.errors.TaylorSensusWarning")
def test_predictions_are_the_same_numbers():
    files = sorted(GOLDEN.glob("*.tsnet"))
    assert len(files) > 10
    found = json.loads(without_jax(ASKED, __file__, *map(str, files)))
    for path in files:
        for here, there in zip(said(path), found[path.stem], strict=True):
            np.testing.assert_allclose(there, here, rtol=1e-12, err_msg=path.name)


def test_the_default_fits_and_other_modes_say_what_is_missing():
    said = without_jax(FIT).splitlines()
    assert len(said) == 3
    assert all('pip install "taylor-sensus[jax]"' in line for line in said)


def test_the_command_line_predicts(tmp_path):
    table = tmp_path / "new.csv"
    content = json.loads((GOLDEN / "v0_2_words.json").read_text())
    pd.DataFrame(content["data"], columns=content["columns"]).to_csv(table, index=False)
    code = "from taylor_sensus.cli import main\nmain()\n"
    without_jax(code, "predict", str(GOLDEN / "v0_2_words.tsnet"), str(table), "-o", str(tmp_path / "out.csv"))
    assert len(pd.read_csv(tmp_path / "out.csv")) == len(content["data"])
