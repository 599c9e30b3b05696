"""A file is written whole or not at all: interrupts, full disks, killed processes, links, permissions."""

import errno
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from taylor_sensus.storage.atomic import HOUR, replacing, sweep, write_atomically

posix = pytest.mark.skipif(os.name == "nt", reason="permissions, links and signals are those of POSIX")


class Unplugged(BaseException):
    """Stands for Ctrl-C and its like, which are no Exception."""


def failing(error):
    def fail(*_args, **_options):
        raise error

    return fail


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes(b"old")
    return path


def assert_untouched(target):
    assert os.listdir(target.parent) == [target.name]
    assert target.read_bytes() == b"old"


def left_behind(target, *, age):
    """A temporary file as a killed writer leaves it, its last byte written `age` seconds ago."""
    with pytest.raises(KeyboardInterrupt), replacing(target) as part:
        raise KeyboardInterrupt
    part.write_bytes(b"ha")
    os.utime(part, (time.time() - age,) * 2)
    return part


def test_pieces_are_written_one_after_the_other(tmp_path):
    write_atomically(tmp_path / "new", b"a", b"", b"bc")
    assert (tmp_path / "new").read_bytes() == b"abc"
    assert os.listdir(tmp_path) == ["new"]


def test_readers_see_the_old_content_until_the_new_is_whole(target):
    with replacing(target) as part:
        part.write_bytes(b"half")
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"half"


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "disk full"), KeyboardInterrupt(), Unplugged()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interrupted_write_leaves_the_old_file_and_no_other(target, monkeypatch, step, error):
    monkeypatch.setattr(os, step, failing(error))
    with pytest.raises(type(error)):
        write_atomically(target, b"new")
    monkeypatch.undo()
    assert_untouched(target)


def test_an_interrupted_writer_leaves_the_old_file_and_no_other(target):
    with pytest.raises(KeyboardInterrupt), replacing(target) as part:
        part.write_bytes(b"ne")
        raise KeyboardInterrupt
    assert_untouched(target)


def test_an_interrupted_first_write_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "new", b"new")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no always-full device on this system")
def test_a_full_disk_leaves_the_old_file(target, monkeypatch):
    plain_open = Path.open
    monkeypatch.setattr(Path, "open", lambda self, mode: plain_open(Path("/dev/full"), "wb"))
    with pytest.raises(OSError, match="No space left"):
        write_atomically(target, b"new")
    monkeypatch.undo()
    assert_untouched(target)


KILLED = """
import os, signal, sys
from taylor_sensus.storage.atomic import replacing

with replacing(sys.argv[1]) as part, part.open("wb") as stream:
    stream.write(b"ne")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_a_killed_writer_leaves_the_old_file_and_a_part_that_a_later_write_sweeps(target):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert target.read_bytes() == b"old"
    (part,) = (path for path in target.parent.iterdir() if path != target)
    write_atomically(target, b"new")
    assert part.read_bytes() == b"ne", "its writer may be alive"
    os.utime(part, (time.time() - HOUR - 60,) * 2)
    write_atomically(target, b"newer")
    assert os.listdir(target.parent) == [target.name]
    assert target.read_bytes() == b"newer"


def test_only_old_parts_of_the_same_file_are_swept(target):
    other, users = target.with_name("other.csv"), target.with_name(".old.csv.draft.part")
    users.write_bytes(b"of the user")
    os.utime(users, (0, 0))
    stale, young = left_behind(target, age=2 * HOUR), left_behind(target, age=HOUR / 2)
    of_other = left_behind(other, age=2 * HOUR)
    write_atomically(target, b"new")
    assert not stale.exists() and young.exists() and of_other.exists() and users.exists()
    sweep(target.parent)
    assert young.exists() and users.exists() and not of_other.exists()


def test_sweeping_a_folder_that_is_not_there_is_no_failure(tmp_path):
    sweep(tmp_path / "nowhere")


def test_a_folder_that_cannot_be_synced_is_no_failure(target, monkeypatch):
    plain_sync = os.fsync

    def sync(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise PermissionError("as on Windows")
        plain_sync(handle)

    monkeypatch.setattr(os, "fsync", sync)
    write_atomically(target, b"new")
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("name", ["n" * 255, "\u00e9" * 127, "[a]*?", ".hidden", "two\nlines"])
def test_any_name_that_a_file_can_have(tmp_path, name):
    try:
        (tmp_path / name).write_bytes(b"old")
    except OSError:
        pytest.skip("no file can have this name here")
    stale = left_behind(tmp_path / name, age=2 * HOUR)
    write_atomically(tmp_path / name, b"new")
    assert (tmp_path / name).read_bytes() == b"new" and not stale.exists()


@posix
def test_permissions_are_those_of_a_new_file_or_of_the_old_one(tmp_path):
    ordinary, made = tmp_path / "ordinary", tmp_path / "made"
    ordinary.touch()
    write_atomically(made, b"new")
    assert made.stat().st_mode == ordinary.stat().st_mode  # readable by others, unlike plain temporary files
    made.chmod(0o640)
    write_atomically(made, b"newer")
    assert stat.S_IMODE(made.stat().st_mode) == 0o640


@posix
def test_a_link_stays_one_and_its_file_is_replaced(target):
    elsewhere = target.parent / "elsewhere"
    elsewhere.mkdir()
    link = elsewhere / "latest"
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"
    assert os.listdir(elsewhere) == ["latest"]
    ahead = elsewhere / "ahead"
    ahead.symlink_to("not_yet")
    write_atomically(ahead, b"first")
    assert ahead.is_symlink() and (elsewhere / "not_yet").read_bytes() == b"first"


def test_where_no_file_can_be_written(tmp_path):
    with pytest.raises(IsADirectoryError, match="folder"):
        write_atomically(tmp_path, b"")
    with pytest.raises(FileNotFoundError, match=re.escape(f"no folder {tmp_path / 'none'}; create it first")):
        write_atomically(tmp_path / "none" / "new", b"")
    assert os.listdir(tmp_path) == []


@posix
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe"):
        write_atomically(tmp_path / "pipe", b"")


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_write_protected_file_is_not_replaced(target):
    target.chmod(0o400)
    with pytest.raises(PermissionError, match="write-protected"):
        write_atomically(target, b"new")
    assert_untouched(target)
