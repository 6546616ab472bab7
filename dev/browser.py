"""A Chromium for the browser journeys: the machine's, Playwright's own, or the distribution's package."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

from dev.console import CannotContinue, run, say
from dev.places import MACOS, PYTHON, child_environment
from dev.system import apt_install, install_command, may_apt

# Chromium without windows: a page costs it two thirds of what it costs the whole browser.
SHELL = "chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
DOWNLOAD_SECONDS = 180
# Asked of Playwright itself, since where it keeps its browsers differs by system and version.
ASK_PLAYWRIGHT = (
    "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
)


def of_the_machine() -> str | None:
    """Return a Chromium or Chrome that is installed, or None."""
    named = os.environ.get("CHROMIUM")
    candidates = [named] if named else [*NAMES, *(MACOS_APPLICATIONS if MACOS else ())]
    return next((found for name in candidates if (found := shutil.which(name))), None)


def _shell_of_the_machine() -> str | None:
    return None if os.environ.get("CHROMIUM") else shutil.which(SHELL)


def of_playwright() -> str | None:
    """Return Playwright's own Chromium when it has been downloaded, or None."""
    answer = subprocess.run(
        [str(PYTHON), "-c", ASK_PLAYWRIGHT],
        env=child_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    path = answer.stdout.strip()
    return path if answer.returncode == 0 and path and Path(path).exists() else None


def _download() -> None:
    """Let Playwright fetch its browser; a machine that cannot reach it just goes on without."""
    say("  Fetching a browser for the journeys …")
    command = [str(PYTHON), "-m", "playwright", "install", "chromium"]
    try:
        subprocess.run(
            command, env=child_environment(), capture_output=True, check=False, timeout=DOWNLOAD_SECONDS
        )
    except subprocess.TimeoutExpired:
        say("  … it cannot be reached from here")


def _from_the_distribution() -> str | None:
    ways: list[Callable[[], None]] = []
    if may_apt():
        # Not every release has the first.
        ways = [partial(apt_install, f"Installing {name}", [name]) for name in (SHELL, "chromium")]
    elif MACOS and shutil.which("brew"):
        ways = [partial(run, "Installing Chromium", ["brew", "install", "--cask", "chromium"])]
    for install in ways:
        try:
            install()
            break
        except CannotContinue as error:
            say(f"  {error}")
    return _shell_of_the_machine() or of_the_machine()


def ensure_browser() -> str:
    """Return the path of a browser, installing one where that is possible. Raises `CannotContinue`."""
    found = _shell_of_the_machine() or of_the_machine() or of_playwright()
    if found is None and may_apt():
        # The package brings the libraries along that Playwright's own build expects to find.
        found = _from_the_distribution()
    if found is None:
        _download()
        found = of_playwright() or _from_the_distribution()
    if found is None:
        command = install_command(["chromium"], ["--cask", "chromium"])
        raise CannotContinue(f"The browser journeys need a Chromium. Type: {command}")
    return found
