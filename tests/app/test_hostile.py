"""Strings that want to be more than strings stay what they are: in every page of the app and in its tables."""

import csv
import io
import re
import unicodedata

import pandas as pd
import pytest

from tests.app.conftest import fitted, upload
from tests.hostile import ATTRIBUTES, ELEMENTS, HOSTILE, Inert

FORMS = {
    "link", "script", "form", "input", "select", "option", "label", "button", "small", "progress", "noscript",
    "datalist", "iframe", "pre", "br", "fieldset", "legend",
}  # fmt: skip
OF_FORMS = {
    "rel", "src", "defer", "action", "method", "enctype", "type", "value", "selected", "for", "list", "size",
    "placeholder", "accept", "required", "min", "max", "step", "download", "title", "sandbox",
    "aria-live", "aria-current", "data-limit", "data-for", "data-heading",
}  # fmt: skip
OWN_LINK = re.compile(r"data:,|/(?:static/app\.(?:css|js)|[a-z-]*|download/[a-z]+\.[a-z]+)|#[\w-]+")
FORMULA = re.compile(r"\s*[=+\-@]")


class InertForm(Inert):
    """The same for pages with forms: links, forms and scripts are those of the app and no others."""

    def handle_starttag(self, tag, attrs):
        if tag not in ELEMENTS | FORMS:
            self.problems.append(f"element {tag}")
        for name, value in attrs:
            if name not in ATTRIBUTES | OF_FORMS:
                self.problems.append(f"attribute {name} of {tag}")
            if name in ("href", "src", "action") and not OWN_LINK.fullmatch(value):
                self.problems.append(f"link {value}")
        given = dict(attrs)
        if tag == "script" and given != {"src": "/static/app.js", "defer": "defer"}:
            self.problems.append("script")
        if tag == "iframe" and (given.get("sandbox"), given.get("src")) != (
            "allow-same-origin",
            "/report",
        ):  # and so without scripts
            self.problems.append("iframe")
        self.in_style = tag == "style"


def assert_inert(page):
    reader = InertForm()
    reader.feed(page)
    reader.close()
    assert not reader.problems


def encodable(text):
    """Whether it can stand in a file; a control character there is refused as a broken table."""
    return all(sign.isprintable() or unicodedata.category(sign) == "Cf" for sign in text)


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.slow
def test_hostile_names_categories_and_file_names_stay_inert(client, bench, quick):
    names = list(dict.fromkeys(name.strip() for name in HOSTILE if encodable(name) and name.strip()))
    assert len(names) >= 50
    column, target = names[0], names[1]
    rows = [(names[i % len(names)], i / 7, (i * i) % 13) for i in range(3 * len(names))]
    frame = pd.DataFrame(rows, columns=["kind", column, target])
    others = names[2:12]
    for at, name in enumerate(others):
        frame.insert(0, name, [(i * (at + 2)) % 5 for i in range(len(frame))])
    content = frame.to_csv(index=False)
    for name in filter(str.isprintable, names):  # others cannot be sent as the name of a file
        answer = upload(client, "/table", "table", content, name=f"{name}.csv")
        assert_inert(answer.text)
    fitted(client, bench, content)
    pages = [client.get(address).text for address in ("/columns", "/model", "/what-if", "/suggestions", "/report")]
    client.post("/suggestions", data={**_ranges(client), "n": "2"})
    bench.job.wait(60)
    pages.append(client.get("/working").text)
    last = f"value-{len(others) + 1}"
    pages.append(client.post("/view", data={last: "1", f"value-{len(others)}": "3"}).text)
    upload(client, "/predict", "rows", content, name=f"{names[3]}.csv")
    bench.job.wait(60)
    pages.append(client.get("/working").text)
    for page in pages:
        assert_inert(page)
    for name in ("suggestions.csv", "predictions.csv"):
        for line in csv.reader(io.StringIO(client.get(f"/download/{name}").text)):
            for cell in line:
                assert not FORMULA.match(cell) or is_number(cell), cell


def _ranges(client):
    text = client.get("/suggestions").text
    return dict(re.findall(r'<input type="number" name="((?:low|high)-\d+)" value="([^"]*)"', text))


@pytest.mark.parametrize("name", HOSTILE[:20])
def test_hostile_fields_stay_inert(client, bench, name):
    upload(client, "/table", "table", "a,b\n1,2\n2,3\n3,5\n")
    for said in ({"role-0": name}, {"role-1": "target", "error-0": name}, {"role-1": "target", "seed": name}):
        answer = client.post("/fit", data=said)
        bench.job and bench.job.wait(60)
        answer = client.get("/working") if answer.url.path == "/working" else answer
        assert answer.status_code == 400
        assert_inert(answer.text)
