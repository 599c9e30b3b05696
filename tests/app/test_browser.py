"""The whole way in a real browser: upload, fit, report, slider, suggestions, downloads; and what is refused there."""

import pandas as pd
import pytest

from taylor_sensus import load
from tests.hostile import HOSTILE
from tests.published import need_dataset

pytestmark = pytest.mark.browser

WAIT = 240_000
"""Milliseconds: the machine may be busy."""


@pytest.fixture
def concrete(tmp_path):
    table = need_dataset("concrete")
    path = tmp_path / "concrete.csv"
    pd.concat([table.X, table.y], axis=1).to_csv(path, index=False)
    return path


def send(page, path):
    """Choose a table and look at its columns."""
    page.set_input_files("#table", path)
    page.click("#send-table")


def fit(page):
    page.select_option("#effort", "fast")
    page.click("#fit")
    page.wait_for_selector("iframe.report", timeout=WAIT)


def turn(page, slider, to):
    """Move a slider as a hand does, and wait until the prediction has changed."""
    before = page.inner_text("#view .mean")
    move = f"slider => {{slider.value = slider.{to}; slider.dispatchEvent(new Event('input', {{bubbles: true}}))}}"
    page.locator("input[type=range]").nth(slider).evaluate(move)
    changed = "before => document.querySelector('#view .mean')?.innerText !== before"
    page.wait_for_function(changed, arg=before, timeout=WAIT)
    return page.inner_text("#view .mean")


def downloaded(page, link, path):
    with page.expect_download(timeout=WAIT) as found:
        page.click(link)
    found.value.save_as(path)
    return path


def test_from_a_table_of_concrete_to_predictions(page, concrete, tmp_path):
    send(page, concrete)
    assert page.locator("#role-8").input_value() == "target"
    page.select_option("#effort", "fast")
    page.click("#fit")
    page.wait_for_selector("#progress", timeout=WAIT)
    seen = "document.getElementById('clock')?.innerText.includes('%') || document.querySelector('iframe.report')"
    page.wait_for_function(f"() => {seen}", timeout=WAIT)  # a quick fit may be over before it tells how far it is
    page.wait_for_selector("iframe.report", timeout=WAIT)
    report = page.frame_locator("iframe.report")
    assert "How good are the predictions?" in report.locator("body").inner_text(timeout=WAIT)

    page.click("text=What if")
    page.wait_for_selector("#view .mean", timeout=WAIT)
    page.wait_for_selector("#update", state="hidden", timeout=WAIT)  # its script takes the button away
    assert page.locator("#view svg").count() == 2
    turned = turn(page, 7, "max")  # age
    model = load(downloaded_model(page, tmp_path))
    row = {name: [float(page.locator(f"#value-{at}").input_value())] for at, name in enumerate(model.feature_names_in_)}
    mean, std = model.predict(pd.DataFrame(row), return_std=True)
    assert turned == f"{mean[0]:.3g} ± {std[0]:.3g}"
    assert "Prediction along age" in page.locator("#view svg").first.get_attribute("aria-label")
    before = page.inner_text("#view .budget")
    page.fill("input[name=error-7]", "30")
    page.wait_for_function("b => document.querySelector('#view .budget')?.innerText !== b", arg=before, timeout=WAIT)
    assert "declared" in page.inner_text("#view .budget")

    page.click("text=What next")
    page.fill("#n", "3")
    page.click("#suggest")
    page.wait_for_selector("#found", timeout=WAIT)
    form = pd.read_csv(downloaded(page, "#download-suggestions", tmp_path / "form.csv"))
    assert len(form) == 3 and {"cement", "predicted std", "advice"} <= set(form)

    page.click("nav >> text=Predict")
    page.set_input_files("#rows", concrete)
    page.click("#predict")
    page.wait_for_selector("#download-predictions", timeout=WAIT)
    got = pd.read_csv(downloaded(page, "#download-predictions", tmp_path / "got.csv"))
    held = got["compressive_strength"].between(got["lower_90"], got["upper_90"]).mean()
    assert len(got) == 1030 and held > 0.85


def downloaded_model(page, tmp_path):
    """The model, fetched as the page does."""
    answer = page.context.request.get(page.url.replace("/what-if", "/download/model.tsnet"))
    assert answer.ok
    path = tmp_path / "got.tsnet"
    path.write_bytes(answer.body())
    return path


@pytest.fixture
def huge(tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(b"a,b\n1,2\n")
        file.truncate(200_000_000)
    return path


def test_a_table_of_200_mb_is_refused_before_it_is_sent(page, huge):
    send(page, huge)
    words = page.inner_text(".problem")
    assert "200 MB" in words and "100 MB can be sent" in words


def test_a_table_of_200_mb_is_refused_in_words_where_scripts_are_off(browser, address, huge):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.set_input_files("#table", huge)
    page.click("#send-table", timeout=WAIT)
    page.wait_for_selector(".problem", timeout=WAIT)
    assert "Up to 100 MB can be sent" in page.inner_text(".problem")
    context.close()


def test_a_broken_table_is_refused_in_words(page, tmp_path):
    path = tmp_path / "broken.xlsx"
    path.write_bytes(b"PK\x03\x04 this is no book")
    send(page, path)
    assert "broken.xlsx cannot be read as an Excel book" in page.inner_text(".problem")


def test_all_works_where_scripts_are_off(browser, address, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.click("text=Take the example")
    fit(page)
    page.click("text=What if")
    before = page.inner_text("#view .mean")
    page.fill("#value-0", "280")
    page.click("#update")
    page.wait_for_selector("#view .mean", timeout=WAIT)
    assert page.inner_text("#view .mean") != before
    context.close()


def test_hostile_strings_do_nothing_in_a_browser(page, tmp_path):
    names = list(dict.fromkeys(name.strip() for name in HOSTILE if name.isprintable() and name.strip()))
    rows = [
        {names[0]: i % 7, "kind": names[i % len(names)], names[1]: 5 * (i % 7) + i * i % 11}
        for i in range(3 * len(names))
    ]
    path = tmp_path / "<img src=x onerror=alert(1)>.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    send(page, path)
    assert names[0] in page.inner_text("tbody")
    fit(page)
    page.click("text=What if")
    page.wait_for_selector("#view .mean", timeout=WAIT)
    turn(page, 0, "max")
    page.click("text=What next")
    page.click("#suggest")
    page.wait_for_selector("#found", timeout=WAIT)
    assert page.evaluate("() => document.querySelectorAll('script').length") == 1
