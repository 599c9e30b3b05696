"""Starting the app: what it says when it cannot."""

import re
import signal
import socket
import stat
import subprocess
import sys
import time

import httpx2
import pytest


def start(*options, code=""):
    command = [
        sys.executable,
        "-c",
        f"{code}\nfrom taylor_sensus.cli import main\nmain()",
        "app",
        "--no-browser",
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_without_the_extra_it_says_what_to_install(tmp_path):
    code = "import sys\nsys.modules['uvicorn'] = None"
    result = start("--port", "0", "--folder", str(tmp_path), code=code)
    assert result.returncode == 1
    assert "pip install 'taylor-sensus[app]'" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_port_that_is_taken_is_refused(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = start("--port", str(port), "--folder", str(tmp_path))
    assert result.returncode == 1
    assert f"port {port} cannot be used" in result.stderr and "--port" in result.stderr


def test_the_folder_is_private_and_the_key_on_no_command_line(tmp_path):
    """Other users of the machine can read neither models nor the command line's key."""
    code = (
        "import webbrowser, os, threading, signal, pathlib\n"
        "def opened(url):\n"
        "    print(url, pathlib.Path(url[7:]).read_text(), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "webbrowser.open = opened"
    )
    folder = tmp_path / "app"
    command = [sys.executable, "-c", f"{code}\nfrom taylor_sensus.cli import main\nmain()", "app"]
    command += ["--port", "0", "--folder", str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    address = re.search(r"http://\S+key=([\w-]+)", result.stderr)
    url, page = result.stdout.split(" ", 1)
    assert url.startswith("file://") and address[1] not in url and address[0] in page
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []  # the doorway is gone


@pytest.mark.slow
def test_ctrl_c_during_a_fit_ends_the_app_quietly(tmp_path):
    command = [sys.executable, "-m", "taylor_sensus", "app", "--port", "0", "--no-browser", "--folder", str(tmp_path)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+/\S+", server.stderr.readline())[0]
        home = address.partition("/?")[0]
        with httpx2.Client(follow_redirects=True, timeout=60) as client:
            client.get(address)
            rows = "x,y\n" + "".join(f"{i},{i * i % 17}\n" for i in range(300))
            client.post(f"{home}/table", files={"table": ("t.csv", rows.encode())})
            client.post(f"{home}/fit", data={"role-1": "target", "effort": "best"})
            end = time.monotonic() + 60
            while not client.get(f"{home}/progress").json()["share"] > 0 and time.monotonic() < end:
                time.sleep(0.1)
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
        assert "Traceback" not in server.stderr.read()
        assert list(tmp_path.iterdir()) == []
    finally:
        server.kill()
