"""A short run of the fuzzers of `python -m bench.fuzz`: nothing escapes as another error, or as no number."""

import pytest

from bench import fuzz


@pytest.mark.parametrize(("fuzzer", "files"), [("damaged", 40), ("forged", 25), ("table", 40)])
def test_a_short_run_finds_nothing(fuzzer, files, tmp_path):
    outcomes = [fuzz.attempt(fuzzer, number, 11, tmp_path) for number in range(files)]
    assert [f"{n}: {o}" for n, o in enumerate(outcomes) if o.wrong and o.seconds < fuzz.MOST_SECONDS] == []
    assert {o.verdict for o in outcomes} == ({"refused"} if fuzzer == "damaged" else {"refused", outcomes_of[fuzzer]})


outcomes_of = {"forged": "finite", "table": "read"}


def test_the_same_number_makes_the_same_file(tmp_path):
    found = []
    for _ in range(2):
        fuzz.attempt("forged", 3, 0, tmp_path)
        found.append((tmp_path / "model.tsnet").read_bytes())
    assert found[0] == found[1]


def test_what_is_wrong_is_counted_and_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fuzz.fuzz_files, "damaged", lambda rng, data: data)  # a file that is not damaged is accepted
    out = tmp_path / "counts.csv"
    asked = ["--files", "1", "--fuzzers", "damaged", "--keep", str(tmp_path), "--out", str(out)]
    assert fuzz.main(asked) == 1
    assert "accepted though damaged" in capsys.readouterr().out
    assert (tmp_path / "damaged_0_0_model.tsnet").exists()
    assert "damaged,1,0,0,1," in out.read_text()
