"""Packages of the operating system: installed where we may, otherwise named with the command that installs them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence

from dev.console import CannotContinue, print_line, run_command
from dev.paths import MACOS, PYTHON, child_environment

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 13)
OLDEST_NODE = (22, 12)
PANGO_DEBIAN = ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0")
# apt-get fails while another one runs, and suites that run beside each other install what they need.
_INSTALLING = threading.Lock()


def can_use_apt() -> bool:
    """Whether this is Debian or a derivative and we may install packages."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install_command(debian: Sequence[str], homebrew: Sequence[str]) -> str:
    """Return the command with which a person installs packages."""
    if MACOS:
        return f"brew install {' '.join(homebrew)}"
    return f"sudo apt-get install {' '.join(debian)}"


def apt_install(what: str, packages: Sequence[str]) -> None:
    """Install distribution packages; only where `can_use_apt`. Raises `CannotContinue`."""
    noninteractive = {"DEBIAN_FRONTEND": "noninteractive"}
    with _INSTALLING:
        run_command("Reading the distribution's package lists", ["apt-get", "update", "-q"], env=noninteractive)
        run_command(what, ["apt-get", "install", "-q", "-y", "--no-install-recommends", *packages], env=noninteractive)


def check_python() -> None:
    """Raise `CannotContinue` unless this version of Python is supported."""
    if not OLDEST_PYTHON <= sys.version_info[:2] <= NEWEST_PYTHON:
        found = ".".join(map(str, sys.version_info[:3]))
        raise CannotContinue(
            f"Python 3.11, 3.12 or 3.13 is needed; this is {found}. Name one: make run PYTHON=python3.12"
        )


def ensure_venv_module() -> None:
    """Make sure that Python can create virtual environments; on Debian that is a package of its own."""
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if not can_use_apt():
        raise CannotContinue(f"Python's venv module is missing. Type: sudo apt-get install {package}")
    apt_install("Installing Python's venv module", [package])


def find_node(path: str) -> str | None:
    """Return the version of the Node on this search path, such as "v24.19.0"; None without it or npm."""
    if not (shutil.which("node", path=path) and shutil.which("npm", path=path)):
        return None
    command, environment = ["node", "--version"], {**os.environ, "PATH": path}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def has_supported_node(path: str) -> bool:
    """Whether the Node on this search path is one that the frontend's packages run on."""
    version = find_node(path) or "v0.0"
    return tuple(int(part) for part in version.lstrip("v").split(".")[:2]) >= OLDEST_NODE


def ensure_nginx() -> None:
    """Install nginx, with whose configuration the fault tests run, where we may; they are left out without it."""
    if shutil.which("nginx") is None and can_use_apt():
        apt_install("Installing nginx, for the tests of the proxy", ["nginx-light"])


def ensure_pgbouncer() -> None:
    """Install PgBouncer, behind which a fault test runs the portal, where we may; that test is left out without it."""
    if shutil.which("pgbouncer") is None and can_use_apt():
        apt_install("Installing PgBouncer, for the test of pooling", ["pgbouncer"])


def ensure_promtool() -> None:
    """Install Prometheus, whose tool tests the alerts, where we may; that test is left out without it."""
    if shutil.which("promtool") is None and can_use_apt():
        apt_install("Installing Prometheus, for the test of the alerts", ["prometheus"])


def _can_load_weasyprint() -> bool:
    command = [str(PYTHON), "-c", "import weasyprint"]
    return subprocess.run(command, env=child_environment(), capture_output=True, check=False).returncode == 0


def ensure_pango() -> None:
    """Make sure that WeasyPrint finds Pango, which draws the text of invoices. Raises `CannotContinue`."""
    if _can_load_weasyprint():
        return
    if can_use_apt():
        apt_install("Installing Pango, which draws invoices", PANGO_DEBIAN)
    elif MACOS and shutil.which("brew"):
        run_command("Installing Pango, which draws invoices", ["brew", "install", "pango"])
    if not _can_load_weasyprint():
        raise CannotContinue(
            f"Pango, which draws invoices, is missing. Type: {install_command(PANGO_DEBIAN, ['pango'])}"
        )
    print_line("  Pango is there")
