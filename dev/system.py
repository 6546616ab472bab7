"""What the machine itself must have: installed where we may, named in one line with the command to type elsewhere."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from dev.console import CannotContinue, run, say
from dev.places import MACOS, PYTHON, child_environment

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 13)
OLDEST_NODE = (20, 19)
PANGO_DEBIAN = ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0")


def may_apt() -> bool:
    """Whether we are on Debian or a relative and may install packages."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install_command(debian: Sequence[str], homebrew: Sequence[str]) -> str:
    """Return the command that a person types to get a package."""
    if MACOS:
        return f"brew install {' '.join(homebrew)}"
    return f"sudo apt-get install {' '.join(debian)}"


def apt_install(what: str, packages: Sequence[str]) -> None:
    """Install distribution packages; only where `may_apt`. Raises `CannotContinue`."""
    quietly = {"DEBIAN_FRONTEND": "noninteractive"}
    run("Reading the distribution's package lists", ["apt-get", "update", "-q"], env=quietly)
    run(what, ["apt-get", "install", "-q", "-y", "--no-install-recommends", *packages], env=quietly)


def check_python() -> None:
    """Raise `CannotContinue` unless this Python is one that we are tested on."""
    if not OLDEST_PYTHON <= sys.version_info[:2] <= NEWEST_PYTHON:
        found = ".".join(map(str, sys.version_info[:3]))
        raise CannotContinue(
            f"Python 3.11, 3.12 or 3.13 is needed; this is {found}. Name one: make run PYTHON=python3.12"
        )


def ensure_venv_module() -> None:
    """Make sure that Python can create virtual environments: Debian keeps that in a package of its own."""
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if not may_apt():
        raise CannotContinue(f"Python's venv module is missing. Type: sudo apt-get install {package}")
    apt_install("Installing Python's venv module", [package])


def node_version() -> str:
    """Return Node's version. Raises `CannotContinue` when it is missing or too old."""
    if not shutil.which("node") or not shutil.which("npm"):
        raise CannotContinue(
            "Node 20.19 or newer with npm is needed: take it from https://nodejs.org"
            f" or, where the distribution's is that new, type: {install_command(['nodejs', 'npm'], ['node'])}"
        )
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if tuple(int(part) for part in version.lstrip("v").split(".")[:2]) < OLDEST_NODE:
        raise CannotContinue(
            f"Node 20.19 or newer is needed; this is {version}. Take one from https://nodejs.org"
        )
    return version


def _weasyprint_loads() -> bool:
    command = [str(PYTHON), "-c", "import weasyprint"]
    return subprocess.run(command, env=child_environment(), capture_output=True, check=False).returncode == 0


def ensure_pango() -> None:
    """Make sure that WeasyPrint finds Pango, which draws the text of invoices. Raises `CannotContinue`."""
    if _weasyprint_loads():
        return
    if may_apt():
        apt_install("Installing Pango, which draws invoices", PANGO_DEBIAN)
    elif MACOS and shutil.which("brew"):
        run("Installing Pango, which draws invoices", ["brew", "install", "pango"])
    if not _weasyprint_loads():
        raise CannotContinue(
            f"Pango, which draws invoices, is missing. Type: {install_command(PANGO_DEBIAN, ['pango'])}"
        )
    say("  Pango is there")
