"""Tests need no network: what asks for another machine fails, and says which."""

import os
import socket
import urllib.request

import pytest

from taylor_sensus.datasets.catalogue import VARIABLE, fetch_dataset
from taylor_sensus.errors import DataError
from tests.offline import is_this_machine


def test_a_connection_to_another_machine_fails_the_test():
    for ask in (
        lambda: urllib.request.urlopen("http://example.org/"),
        lambda: socket.create_connection(("192.0.2.1", 80), timeout=1),
        lambda: socket.socket().connect_ex(("192.0.2.1", 80)),
    ):
        with pytest.raises(pytest.fail.Exception, match="without a network"):
            ask()
    assert is_this_machine("127.0.0.1") and is_this_machine("::1") and not is_this_machine("10.0.0.1")


def test_a_download_inside_the_library_fails_the_test(tmp_path, monkeypatch):
    """Although the library turns failed downloads into errors of its own."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr("taylor_sensus.datasets.files.user_data_dir", lambda _: str(tmp_path))
    with pytest.raises(pytest.fail.Exception, match="without a network"):
        fetch_dataset("concrete")


def test_child_processes_inherit_a_folder_and_do_not_download(tmp_path, monkeypatch):
    assert os.environ[VARIABLE]
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(DataError, match="lacks"):
        fetch_dataset("concrete")
