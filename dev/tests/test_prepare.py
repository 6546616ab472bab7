"""Setup: the demo's database, which is left unchanged if it cannot be migrated, and the packages."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from dev.console import CannotContinue
from dev.paths import ROOT
from dev.setup import prepare

INSTALL = "from dev.setup import prepare; prepare.ensure_python_packages(prepare.ROOT / 'requirements.txt')"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setenv("PORTAL_ENV", "demo")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "portal.settings")
    monkeypatch.delenv("DATABASE_URL", raising=False)
    return tmp_path


def test_it_refuses_a_database_with_a_rewritten_migration(folder):
    (folder / "db.sqlite3").touch()
    made_with = folder / ".done" / "migrations" / "billing.0001_initial"
    made_with.parent.mkdir(parents=True)
    made_with.write_text("another")

    with pytest.raises(CannotContinue, match="Type: make reset run"):
        prepare.ensure_database()

    assert (folder / "db.sqlite3").read_bytes() == b""


def test_it_migrates_once_and_marks_a_new_database_for_seeding(folder, capsys):
    prepare.seeds_stamp().mark_done()
    prepare.ensure_database()
    assert not prepare.seeds_stamp().is_current

    capsys.readouterr()
    prepare.ensure_database()
    assert capsys.readouterr().out == ""


@pytest.fixture
def checkout(tmp_path):
    """Return a checkout with an empty list of packages."""
    shutil.copytree(ROOT / "dev", tmp_path / "dev", ignore=shutil.ignore_patterns("__pycache__", "tests"))
    (tmp_path / "requirements.txt").touch()
    return tmp_path


def start_install(checkout):
    return subprocess.Popen([sys.executable, "-c", INSTALL], cwd=checkout, start_new_session=True)


def test_an_interrupted_installation_starts_over(checkout):
    environment = checkout / ".venv"
    install = start_install(checkout)
    deadline = time.monotonic() + 60
    while not (environment / ".installing").exists():
        assert time.monotonic() < deadline
        assert install.poll() is None
        time.sleep(0.005)
    os.killpg(install.pid, signal.SIGKILL)
    install.wait()
    (environment / "half-a-package").touch()

    assert start_install(checkout).wait() == 0

    files = {file.name for file in environment.iterdir()}
    assert ".installed-requirements" in files
    assert not {"half-a-package", ".installing"} & files


TREE = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(600)"
CHILD = "import pathlib, sys, time; pathlib.Path({mark!r}).touch(); time.sleep(600)"
INTERRUPTED = """
import signal, sys
# A shell that runs the tests in the background lets them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
from dev.console import run_command
from dev.setup import prepare
prepare._run_tracks([lambda: run_command("One", [sys.executable, "-c", {tree!r}])], [lambda: None])
"""


def processes_with(text):
    found = subprocess.run(["pgrep", "-f", text], capture_output=True, text=True, check=False)
    return found.stdout.split()


@pytest.mark.shows("reliability-38")
def test_an_interruption_ends_installers_and_their_children_at_once(tmp_path):
    mark = tmp_path / "child-runs"
    program = INTERRUPTED.format(tree=TREE.format(child=CHILD.format(mark=str(mark))))
    setup = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not mark.exists():
        assert time.monotonic() < deadline
        assert setup.poll() is None
        time.sleep(0.01)
    setup.send_signal(signal.SIGINT)
    setup.wait(timeout=20)
    assert processes_with(str(mark)) == []
