"""Starting the app: what it says when it cannot."""

import socket
import subprocess
import sys


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
