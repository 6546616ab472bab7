"""`make run` reports what prevents its start in one line, before it installs or starts anything."""

import contextlib
import os
import socket
import sqlite3
import subprocess
import sys

import pytest

from dev.console import CannotContinue
from dev.paths import ROOT
from dev.setup.data_folder import hold_data_folder
from dev.setup.folder_lock import hold_folder


@pytest.fixture
def listener():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def free_ports():
    with socket.socket() as one, socket.socket() as other:
        for probe in (one, other):
            probe.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1]), str(other.getsockname()[1])


def run_portal(folder, **environment):
    ports = dict(zip(("PORT", "SANDBOX_PORT"), free_ports(), strict=True))
    defaults = {"VAR_DIR": str(folder), "PORTAL_ENV": "demo", **ports}
    return subprocess.run(
        [sys.executable, "dev/run.py"],
        cwd=ROOT,
        env={**os.environ, **defaults, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"PORT": "abc"}, "PORT is 'abc'; it must be a number from 1 to 65535."),
        ({"SANDBOX_PORT": "65536"}, "SANDBOX_PORT is '65536'; it must be a number from 1 to 65535."),
        (
            {"PORT": "18000", "SANDBOX_PORT": "18000"},
            "PORT and SANDBOX_PORT are both 18000; give each its own.",
        ),
        (
            {"PORTAL_ENV": "production"},
            "`make run` serves the demo, and PORTAL_ENV is 'production'. README.md says how to deploy.",
        ),
        (
            {"VAR_DIR": "/dev/null/var"},
            "VAR_DIR cannot be made: [Errno 20] Not a directory: '/dev/null/var'",
        ),
        (
            {"VAR_DIR": "/proc/1"},
            "VAR_DIR cannot be written to: No such file or directory: /proc/1",
        ),
        (
            {"DATABASE_URL": "postgres://portal:a-password@127.0.0.1:1/portal"},
            "No PostgreSQL answers at the address in DATABASE_URL. Start it, or unset DATABASE_URL.",
        ),
        (
            {"REDIS_URL": "redis://127.0.0.1:1/0"},
            "No Redis answers at the address in REDIS_URL. Start it, or unset REDIS_URL.",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_it_reports_a_wrong_setting_in_one_line(tmp_path, environment, message):
    answer = run_portal(tmp_path, **environment)
    assert (answer.returncode, answer.stdout.strip(), answer.stderr) == (1, message, "")


@pytest.mark.parametrize("name", ["PORT", "SANDBOX_PORT"])
def test_it_names_the_port_that_is_taken(tmp_path, listener, name):
    answer = run_portal(tmp_path, **{name: str(listener)})
    assert answer.returncode == 1
    assert answer.stdout.strip().startswith(f"Port {listener} is taken.")
    assert f"make run {name}=" in answer.stdout


DAMAGED = {
    "no database": b"This is a text, and long enough to be read as the header of a database. " * 2,
    "a database cut short": None,
}


@pytest.mark.shows("reliability-37")
@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("name", ["db.sqlite3", "sandbox.sqlite3"])
def test_it_names_a_damaged_database_and_the_way_out(tmp_path, name, content):
    file = tmp_path / name
    if content is None:
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.execute("CREATE TABLE entry (text)")
            database.executemany("INSERT INTO entry VALUES (?)", [("x" * 1000,)] * 50)
            database.commit()
        content = file.read_bytes()[:20_000]
    file.write_bytes(content)
    answer = run_portal(tmp_path)
    assert (answer.returncode, answer.stderr) == (1, "")
    [line] = answer.stdout.strip().splitlines()
    assert line.startswith(f"The demo's database {file} is damaged (")
    assert line.endswith("). Start afresh: make reset run")
    assert file.read_bytes() == content


@pytest.mark.shows("reliability-37")
def test_a_second_run_in_the_same_folder_is_refused(tmp_path):
    with hold_folder(tmp_path):
        answer = run_portal(tmp_path)
    assert (answer.returncode, answer.stderr) == (1, "")
    assert answer.stdout.strip().startswith(f"Another `make run` uses {tmp_path}. Stop it, or choose")


@pytest.mark.shows("reliability-37")
def test_it_says_how_much_room_it_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    needed = r"VAR_DIR has \d+ MB left, and the demo needs 1000000000 MB"
    with pytest.raises(CannotContinue, match=needed), hold_data_folder(needed_megabytes=10**9):
        pass
