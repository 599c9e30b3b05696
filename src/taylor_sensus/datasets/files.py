"""Where the files of the datasets are: found in a folder or downloaded once, and never used unchecked.

With the environment variable ``TAYLOR_SENSUS_DATA`` set to a folder, files are taken from there and nothing is
downloaded. Without it they are downloaded once from their original source, and kept in the user's data folder in
the same layout. Either way no file is used whose SHA-256 is not the published one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_data_dir

from taylor_sensus.datasets.sources import DATASETS, DatasetInfo, Download, SourceFile
from taylor_sensus.errors import DataError, MissingExtraError
from taylor_sensus.storage.atomic import replacing

VARIABLE = "TAYLOR_SENSUS_DATA"
INSTALL = 'pip install "taylor-sensus[datasets]"'
TIMEOUT = 60.0
"""Seconds without a byte before a download is given up."""
BLOCK = 1 << 16


class FoundFile(NamedTuple):
    """A file whose hash is right."""

    path: Path
    file: SourceFile


def data_folder() -> Path:
    """Where the files are, or will be after a download."""
    return _offline_folder() or Path(user_data_dir("taylor-sensus")) / "datasets"


def whereabouts(info: DatasetInfo) -> str:
    """Whether a dataset is on this machine, in two or three words; hashes are checked only on loading."""
    if not info.files:
        return "with scikit-learn"
    if any((data_folder() / file.path).is_file() for file in info.files):
        return "on disk"
    return "missing" if _offline_folder() else "to be downloaded"


def _offline_folder() -> Path | None:
    given = os.environ.get(VARIABLE, "")
    return Path(given).expanduser() if given else None


def find_or_download(info: DatasetInfo) -> FoundFile:
    folder, offline = data_folder(), _offline_folder() is not None
    for file in info.files:
        path = folder / file.path
        if path.is_file():
            found = _sha256(path)
            if found == file.sha256:
                return FoundFile(path, file)
            if offline:
                raise DataError(
                    f"{file.path} in the folder {folder} is not the published file: its SHA-256 is {found}, expected "
                    f"{file.sha256}; copy it again without changing it, or unset {VARIABLE} to download it"
                )
    if offline:
        wanted = " or ".join(f"{file.path} (SHA-256 {file.sha256})" for file in info.files)
        raise DataError(
            f"the folder {folder}, which {VARIABLE} names, lacks {wanted}; "
            f"put it there (source: {info.source}), or unset {VARIABLE} to download it"
        )
    file, download = next((file, file.download) for file in info.files if file.download)
    _fetch(download, folder)
    return FoundFile(folder / file.path, file)


def _fetch(download: Download, folder: Path) -> None:
    """Download, and put every file that this download holds in its place, whole and checked or not at all."""
    held = [file for info in DATASETS.values() for file in info.files if file.download == download]
    place = folder / Path(held[0].path).parent
    if not download.zipped:
        _retrieve(download, place, Path(held[0].path).name)
        return
    archive = _retrieve(download, place, f"{place.name}.zip")
    try:
        with zipfile.ZipFile(archive) as members:
            for file in held:
                _unpack(members, file, folder)
    except zipfile.BadZipFile as error:
        raise DataError(f"{download.url} sent a damaged archive ({error}); try again later") from error
    finally:
        archive.unlink(missing_ok=True)


def _retrieve(download: Download, place: Path, name: str) -> Path:
    try:
        import pooch
    except ImportError as error:
        problem = f"downloading {download.url} needs the package pooch: {INSTALL}"
        raise MissingExtraError(f"{problem}; or set {VARIABLE} to a folder that holds the file") from error
    from requests import RequestException

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # the bar says what happens, and only where somebody sees it
    try:
        with _download_bar(name) as bar:
            get = pooch.HTTPDownloader(progressbar=bar, chunk_size=BLOCK, timeout=TIMEOUT)
            return Path(pooch.retrieve(download.url, download.known_hash, fname=name, path=place, downloader=get))
    except RequestException as error:
        answer = error.response
        reason = type(error).__name__ if answer is None else f"the server says {answer.status_code} {answer.reason}"
        raise DataError(
            f"cannot download {download.url} ({reason}); try again later, or set {VARIABLE} to a folder that holds "
            f"the file in {place.name}"
        ) from error
    except ValueError as error:
        raise DataError(f"{download.url} does not send the published file, so it was not kept: {error}") from error
    except OSError as error:
        raise DataError(f"cannot save {name} in {place} ({error}); make room there, or set {VARIABLE}") from error
    finally:
        logger.setLevel(level)


def _unpack(members: zipfile.ZipFile, file: SourceFile, folder: Path) -> None:
    target = folder / file.path
    try:
        with replacing(target) as temporary:
            with members.open(target.name) as packed, temporary.open("wb") as out:
                shutil.copyfileobj(packed, out, BLOCK)
            found = _sha256(temporary)
            if found != file.sha256:
                raise DataError(
                    f"{target.name} in the downloaded archive is not the published file: its SHA-256 is {found}, "
                    f"expected {file.sha256}; it was not kept"
                )
    except KeyError as error:
        raise DataError(f"the downloaded archive does not hold {target.name}") from error


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def _download_bar(title: str) -> Iterator[Any]:
    """A progress bar for pooch, drawn by Rich in a terminal; elsewhere False, which is none."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield False
        return
    with Progress(console=console) as progress:
        yield _Bar(progress, title)


class _Bar:
    """The four things that pooch asks of a progress bar."""

    def __init__(self, progress: Any, title: str) -> None:
        self.progress, self.task = progress, progress.add_task(title, total=None)

    @property
    def total(self) -> float | None:
        return self.progress.tasks[0].total

    @total.setter
    def total(self, size: int) -> None:
        self.progress.update(self.task, total=size or None)

    def update(self, amount: int) -> None:
        self.progress.update(self.task, advance=amount)

    def reset(self) -> None:
        self.progress.update(self.task, completed=0)

    def close(self) -> None:
        """Nothing to do: the context closes the bar, after failures too."""
