"""Where things are, and the environment that child processes get."""

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
# Homebrew's two homes; the dynamic linker looks in neither by itself, and WeasyPrint needs Pango from there.
HOMEBREW_LIBRARIES = "/opt/homebrew/lib:/usr/local/lib:/usr/lib"


def read_dotenv() -> None:
    """Take what `.env` sets and the real environment does not; the file is optional."""
    file = ROOT / ".env"
    if not file.is_file():
        return
    for line in file.read_text().splitlines():
        name, separator, value = line.strip().partition("=")
        if separator and not name.startswith("#"):
            os.environ.setdefault(name.strip(), value.strip().strip("\"'"))


class BadSetting(Exception):
    """A variable of the environment holds what it cannot; the message names it."""


def var_dir() -> Path:
    """The folder for everything that the demo writes."""
    return Path(os.environ.get("VAR_DIR", ROOT / "var")).expanduser().resolve()


def port() -> int:
    """The port of the portal. Raises `BadSetting`."""
    return _port("PORT", "8000")


def sandbox_port() -> int:
    """The port of the sandbox. Raises `BadSetting`."""
    return _port("SANDBOX_PORT", "8001")


def _port(name: str, default: str) -> int:
    text = os.environ.get(name) or default
    if not (text.isdecimal() and 0 < int(text) <= LAST_PORT):
        raise BadSetting(f"{name} is {text!r}; it must be a number from 1 to {LAST_PORT}.")
    return int(text)


def child_environment() -> dict[str, str]:
    """The environment of every process that we start."""
    # A port that is set to nothing is the default one, as everywhere else.
    given = {name: text for name, text in os.environ.items() if text or name not in ("PORT", "SANDBOX_PORT")}
    environment = {**given, "VAR_DIR": str(var_dir()), "PYTHONUNBUFFERED": "1"}
    # Not ours to obey: each of many processes would compile the whole portal anew.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PATH"] = os.pathsep.join([str(VENV / "bin"), environment.get("PATH", "")])
    if MACOS:
        environment.setdefault("DYLD_FALLBACK_LIBRARY_PATH", HOMEBREW_LIBRARIES)
        # Celery's pool forks after the Objective-C runtime has been touched, which macOS otherwise ends the child for.
        environment.setdefault("OBJC_DISABLE_INITIALIZE_FORK_SAFETY", "YES")
    return environment
