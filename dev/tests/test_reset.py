"""`make reset` deletes the demo's data and nothing else."""

import os
import socket
import subprocess
import sys

import pytest

from dev.paths import ROOT


@pytest.fixture
def folder(tmp_path):
    for name in ("db.sqlite3", "db.sqlite3-wal", "sandbox.sqlite3", "somebody-elses.txt"):
        (tmp_path / name).touch()
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "one.log").touch()
    return tmp_path


@pytest.fixture
def listener():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def run_reset(folder, port):
    environment = {**os.environ, "VAR_DIR": str(folder), "PORT": str(port), "SANDBOX_PORT": str(port)}
    return subprocess.run(
        [sys.executable, "dev/reset.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_removes_only_the_files_of_the_demo(folder):
    answer = run_reset(folder, 1)
    assert answer.returncode == 0
    assert [file.name for file in folder.iterdir()] == ["somebody-elses.txt"]


def test_it_refuses_while_the_demo_is_running(folder, listener):
    answer = run_reset(folder, listener)
    assert answer.returncode == 1
    assert (folder / "db.sqlite3").exists()
    assert "Stop it first" in answer.stdout
