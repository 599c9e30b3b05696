"""The served model and the app, each a process of its own that is asked over HTTP and killed without warning."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pandas as pd

from taylor_sensus import load
from taylor_sensus.errors import ModelFileError

PATIENCE = 1800.0
"""Seconds for a fit on a machine that is busy with other things, where this is the least of them."""
START = re.compile(r"http://127\.0\.0\.1:\d+\S*")


class Server:
    """`taylor-sensus` as a server; started again in the same folder when it was killed."""

    def __init__(self, *arguments: str) -> None:
        self.arguments = arguments
        self.starts = 0
        self.asked = 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "taylor_sensus", *self.arguments, "--port", "0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.said: deque[str] = deque(maxlen=20)
        stream = self.process.stderr
        assert stream is not None
        found = None
        while found is None:
            line = stream.readline()
            if not line:
                raise RuntimeError(f"{self.arguments[0]} did not start: {self.last_words()}")
            self.said.append(line)
            found = START.search(line)
        self.address = found[0]
        # A pipe that nobody reads is full after 64 kB, and whoever writes to it waits for good.
        self.reader = threading.Thread(target=self.said.extend, args=(stream,), daemon=True)
        self.reader.start()
        self.starts += 1
        self.asked = 0

    def start_again(self) -> None:
        """In place of a process that ended."""
        self.reader.join(5)
        self.process.stderr.close()  # type: ignore[union-attr]
        self.start()

    def last_words(self) -> str:
        """The end of what the process wrote to its standard error."""
        return " ".join(" ".join(self.said).split())[-300:]

    def kill(self) -> None:
        """Without warning."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """As a user does."""
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Served(Server):
    """A model behind an address; its answers must be those of the library, to the last bit."""

    def __init__(self, path: Path, rows: pd.DataFrame) -> None:
        super().__init__("serve", str(path))
        self.rows = json.loads(rows.to_json(orient="records", double_precision=15))
        self.wanted = load(path).predict(pd.DataFrame(self.rows)).tolist()

    def ask(self, rng: np.random.Generator) -> str | None:
        """Some rows; what was wrong, if anything."""
        self.asked += 1
        home = self.address.rstrip("/")
        if rng.random() < 0.2:  # a request that must be refused in words
            answer = httpx2.post(f"{home}/predict", json={"rows": [{"wings": 1}]}, timeout=PATIENCE)
            return None if answer.status_code == 422 else f"serve answered nonsense with {answer.status_code}"
        places = rng.integers(len(self.rows), size=int(rng.integers(1, 40)))
        body = {"rows": [self.rows[place] for place in places]}
        answer = httpx2.post(f"{home}/predict", json=body, timeout=PATIENCE)
        found = [next(iter(one["targets"].values()))["mean"] for one in answer.json()["predictions"]]
        return None if found == [self.wanted[place] for place in places] else "serve answered other numbers"


class App(Server):
    """The app with one table after another. What it said was fitted must be there after it was killed."""

    def __init__(self, folder: Path) -> None:
        super().__init__("app", "--no-browser", "--folder", str(folder))
        self.acknowledged: str | None = None
        """Digest of the last model that the app showed as fitted."""
        self._enter()

    def _enter(self) -> None:
        self.client = httpx2.Client(follow_redirects=True, timeout=PATIENCE)
        self.home = self.address.partition("/?")[0]
        self.client.get(self.address)

    def start_again(self) -> None:
        """With a new key."""
        super().start_again()
        self.client.close()
        self._enter()

    def restart(self) -> str | None:
        """After it was killed; the last model must open and be the one that was acknowledged."""
        self.start_again()
        if self.acknowledged is None:
            return None
        self._get(self.client.post(f"{self.home}/last"))
        return None if self._digest() == self.acknowledged else "the app lost the model that it had shown"

    def fit(self, table: pd.DataFrame, rng: np.random.Generator, kill: bool) -> str | None:
        """Upload, fit, predict, compare; or kill it at some moment of the fit."""
        self.asked += 1
        page = self._post("/table", "table", table).text
        chosen = dict(re.findall(r'<select[^>]*name="(role-\d+)".*?value="(\w+)" selected', page, re.DOTALL))
        answer = self.client.post(f"{self.home}/fit", data={**chosen, "effort": "fast", "seed": str(rng.integers(99))})
        if kill:
            time.sleep(float(rng.uniform(0, 6)))
            done = not self._progress()["running"]
            if done:  # it was shown before it died
                self._get(self.client.get(f"{self.home}/working"))
                self.acknowledged = self._digest()
            before = self.acknowledged
            self.kill()
            words = self.restart()
            if words is not None and not done and self._whole_model():  # it may have been kept and not yet shown
                self.acknowledged = self._digest()
                return None
            return words if before is not None else None
        self._get(answer)
        model = self.client.get(f"{self.home}/download/model.tsnet").content
        self.acknowledged = hashlib.sha256(model).hexdigest()
        self._get(self._post("/predict", "rows", table))
        got = pd.read_csv(io.BytesIO(self.client.get(f"{self.home}/download/predictions.csv").content))
        wanted = _loaded(model).predict(table.iloc[:, :-1])
        name = next(column for column in got if column not in table and "mean" in column)
        same = np.allclose(got[name], wanted, rtol=1e-6, atol=1e-9)
        return None if same else "the app's predictions are not those of its model"

    def _whole_model(self) -> bool:
        try:
            return _loaded(self.client.get(f"{self.home}/download/model.tsnet").content) is not None
        except ModelFileError:  # no model is there, or a page that says so
            return False

    def _digest(self) -> str:
        return hashlib.sha256(self.client.get(f"{self.home}/download/model.tsnet").content).hexdigest()

    def _progress(self) -> Any:
        return self.client.get(f"{self.home}/progress").json()

    def _get(self, answer: httpx2.Response) -> None:
        """Wait for the job that a request began."""
        end = time.monotonic() + PATIENCE
        while self._progress()["running"]:
            if time.monotonic() > end:
                raise TimeoutError("the app is at work for too long")
            time.sleep(0.3)
        page = self.client.get(f"{self.home}/working")
        if answer.status_code != 200 or 'class="problem"' in page.text:
            raise RuntimeError(f"the app refused what it should not: {page.text[:2000]}")

    def _post(self, where: str, field: str, table: pd.DataFrame) -> httpx2.Response:
        content = table.to_csv(index=False).encode()
        return self.client.post(f"{self.home}{where}", files={field: ("table.csv", content)})


def _loaded(content: bytes) -> Any:
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".tsnet") as file:
        file.write(content)
        file.flush()
        return load(file.name)
