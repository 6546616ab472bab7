"""Setting up, each step once: virtual environment, packages, bundle, databases, static files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dev import system
from dev.console import CannotContinue, run
from dev.places import DIST, NODE_MODULES, PYTHON, ROOT, VENV, child_environment, var_dir
from dev.stamps import Stamp, digest

BUNDLE_SOURCES = (
    ROOT / "frontend" / "src",
    ROOT / "package.json",
    ROOT / "package-lock.json",
    ROOT / "tsconfig.json",
    ROOT / "webpack.config.js",
)
SEED_SOURCES = (
    ROOT / "accounts" / "management" / "commands" / "seed_site.py",
    ROOT / "billing" / "management" / "commands" / "seed_demo.py",
    ROOT / "billing" / "services" / "demo.py",
    ROOT / "billing" / "fixtures",
)
# There while pip installs, and from then on where it was cut short.
INSTALLING = VENV / ".installing"
STATIC_SOURCES = (DIST, ROOT / "portal" / "static", ROOT / "requirements.txt")


def prepare_to_run() -> None:
    """Bring along what running needs; what is there already is left alone.

    Raises `CannotContinue` when something is missing that we may not install.
    """
    system.check_python()
    _side_by_side([_python_to_run, ensure_pango], [ensure_node_packages, ensure_bundle])


def prepare_tools() -> None:
    """Bring along what checking and formatting need. Raises as `prepare_to_run`."""
    system.check_python()
    _side_by_side([_python_to_run, _python_to_test], [ensure_node_packages])


def prepare_to_test() -> None:
    """Bring along what testing needs. Raises as `prepare_to_run`."""
    system.check_python()
    _side_by_side([_python_to_run, _python_to_test, ensure_pango], [ensure_node_packages, ensure_bundle])


def _side_by_side(*ways: Sequence[Callable[[], None]]) -> None:
    """Take the steps of each way in their order, and the ways at once: Python's packages need nothing of node's."""

    def take(steps: Sequence[Callable[[], None]]) -> None:
        for step in steps:
            step()

    with ThreadPoolExecutor(len(ways)) as pool:
        for way in [pool.submit(take, steps) for steps in ways]:
            way.result()


def _python_to_run() -> None:
    ensure_python_packages(ROOT / "requirements.txt")


def _python_to_test() -> None:
    ensure_python_packages(ROOT / "requirements-dev.txt")


def _virtual_environment_works() -> bool:
    # pip takes a package for installed as soon as its name is there, were it without its commands.
    if INSTALLING.exists():
        return False
    # A copied or moved folder, or a Python that was upgraded away, leaves one that is there and does not run.
    command = [str(PYTHON), "-c", "import pip"]
    return PYTHON.exists() and subprocess.run(command, capture_output=True, check=False).returncode == 0


def ensure_virtual_environment() -> None:
    """Make `.venv` unless there is one that runs."""
    if _virtual_environment_works():
        return
    system.ensure_venv_module()
    run("Making the virtual environment", [sys.executable, "-m", "venv", "--clear", VENV])


def ensure_python_packages(locked: Path) -> None:
    """Install a lock file's packages, every one checked against its hash."""
    stamp = Stamp(VENV / f".installed-{locked.stem}", digest([locked], str(VENV)))
    if stamp.holds and PYTHON.exists() and not INSTALLING.exists():
        return
    ensure_virtual_environment()
    INSTALLING.touch()
    command: list[str | Path] = [
        PYTHON,
        "-m",
        "pip",
        "install",
        "--require-hashes",
        "--disable-pip-version-check",
        "-r",
        locked,
    ]
    run(f"Installing {locked.name}", command)
    stamp.set()
    INSTALLING.unlink()


def ensure_pango() -> None:
    """Look for Pango once per set of packages."""
    stamp = Stamp(VENV / ".pango", digest([ROOT / "requirements.txt"]))
    if not stamp.holds:
        system.ensure_pango()
        stamp.set()


def ensure_node_packages() -> None:
    """Install what `package-lock.json` names."""
    stamp = Stamp(NODE_MODULES / ".installed", digest([ROOT / "package-lock.json"], system.node_version()))
    if not stamp.holds:
        run("Installing the frontend's packages", ["npm", "ci", "--no-audit", "--no-fund"])
        stamp.set()


def ensure_bundle() -> None:
    """Build the browser's bundle when its sources changed."""
    stamp = Stamp(ROOT / "frontend" / "dist" / ".built", digest(BUNDLE_SOURCES))
    if not (stamp.holds and (DIST / "webpack-stats.json").exists()):
        run("Building the bundle", ["npm", "run", "--silent", "build"])
        stamp.set()


def ensure_static_files() -> None:
    """Gather and compress static files; the folder is emptied first, since old hashes would pile up."""
    stamp = Stamp(stamps() / "static", digest(STATIC_SOURCES))
    if not (stamp.holds and (var_dir() / "static").is_dir()):
        run(
            "Gathering static files",
            [PYTHON, "manage.py", "collectstatic", "--noinput", "--clear", "-v", "0"],
        )
        stamp.set()


def ensure_sandbox() -> None:
    """Let the demo's accounts live their past in the sandbox, once; it must not be running yet."""
    stamp = Stamp(stamps() / "sandbox", "done")
    if not (stamp.holds and (var_dir() / "sandbox.sqlite3").exists()):
        run("Letting the demo's accounts live their past", [PYTHON, "-m", "billing.sandbox.seeds"])
        stamp.set()


def stamps() -> Path:
    """The folder of the stamps of what is done to the data."""
    return var_dir() / ".done"


def ensure_database() -> None:
    """Migrate, and make the cache's table, when a migration is new or the database is; that one needs seeds again.

    Raises `CannotContinue` when the database was made with a migration that reads otherwise now.
    """
    migrations = [ROOT / app / "migrations" for app in ("accounts", "billing", "preferences", "operators")]
    stamp = Stamp(stamps() / "database", digest([*migrations, ROOT / "requirements.txt"], _database_url()))
    there = _database_is_there()
    if stamp.holds and there:
        return
    applied = [_applied(file) for folder in migrations for file in sorted(folder.glob("0*.py"))]
    if there and any(one.file.exists() and not one.holds for one in applied):
        raise CannotContinue(
            "The demo's database was made with a migration that has been rewritten since. Type: make reset run"
        )
    run("Migrating the database", [PYTHON, "manage.py", "migrate", "--noinput", "-v", "0"])
    run("Making the cache's table", [PYTHON, "manage.py", "createcachetable"])
    seeds_stamp().file.unlink(missing_ok=True)
    for one in [*applied, stamp]:
        one.set()


def _applied(migration: Path) -> Stamp:
    # By what it holds, not where it is: a clone may be moved.
    name = f"{migration.parent.parent.name}.{migration.stem}"
    return Stamp(stamps() / "migrations" / name, digest([], migration.read_text()))


def seeds_stamp() -> Stamp:
    """The stamp of what is seeded while the sandbox runs: due again when the seeds change."""
    return Stamp(stamps() / "seeds", digest(SEED_SOURCES))


def _database_url() -> str:
    return os.environ.get("DATABASE_URL", "")


def _database_is_there() -> bool:
    if not _database_url():
        return (var_dir() / "db.sqlite3").exists()
    # One elsewhere may have been replaced without our knowing, so it is asked.
    command = [str(PYTHON), "manage.py", "migrate", "--check"]
    asked = subprocess.run(command, cwd=ROOT, env=child_environment(), capture_output=True, check=False)
    return asked.returncode == 0
