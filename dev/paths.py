"""Paths of the project, ports, and the environment of child processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
NODE_MODULES = ROOT / "node_modules"
DIST = ROOT / "frontend" / "dist"
LAST_PORT = 65535
MACOS = sys.platform == "darwin"
# Homebrew's two prefixes: the dynamic linker searches neither, and WeasyPrint needs Pango from them.
HOMEBREW_LIBRARIES = "/opt/homebrew/lib:/usr/local/lib:/usr/lib"


def read_dotenv() -> None:
    """Load `.env`, where there is one; variables that are set already win."""
    file = ROOT / ".env"
    if not file.is_file():
        return
    for line in file.read_text().splitlines():
        name, separator, value = line.strip().partition("=")
        if separator and not name.startswith("#"):
            os.environ.setdefault(name.strip(), value.strip().strip("\"'"))


class InvalidSetting(Exception):
    """An environment variable has an invalid value; the message names it."""


def var_dir() -> Path:
    """Return the folder for everything that the demo writes."""
    return Path(os.environ.get("VAR_DIR", ROOT / "var")).expanduser().resolve()


def portal_port() -> int:
    """Return the portal's port. Raises `InvalidSetting`."""
    return _read_port("PORT", "8000")


def sandbox_port() -> int:
    """Return the sandbox's port. Raises `InvalidSetting`."""
    return _read_port("SANDBOX_PORT", "8001")


def _read_port(name: str, default: str) -> int:
    text = os.environ.get(name) or default
    if not (text.isdecimal() and 0 < int(text) <= LAST_PORT):
        raise InvalidSetting(f"{name} is {text!r}; it must be a number from 1 to {LAST_PORT}.")
    return int(text)


def child_environment() -> dict[str, str]:
    """Return the environment of every process that we start; the virtual environment comes first in its PATH."""
    # An empty port means the default.
    inherited = {name: text for name, text in os.environ.items() if text or name not in ("PORT", "SANDBOX_PORT")}
    environment = {**inherited, "VAR_DIR": str(var_dir()), "PYTHONUNBUFFERED": "1"}
    # With it, each of many processes would compile the whole portal again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PATH"] = os.pathsep.join([str(VENV / "bin"), environment.get("PATH", "")])
    if MACOS:
        environment.setdefault("DYLD_FALLBACK_LIBRARY_PATH", HOMEBREW_LIBRARIES)
        # Celery's pool forks after the Objective-C runtime was used; without this macOS kills the child.
        environment.setdefault("OBJC_DISABLE_INITIALIZE_FORK_SAFETY", "YES")
    return environment
