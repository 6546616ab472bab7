"""A Chromium for the browser journeys: the machine's, Playwright's, or the distribution's package."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

from dev.console import CannotContinue, print_line, run_command
from dev.paths import MACOS, PYTHON, child_environment
from dev.setup.system_packages import apt_install, can_use_apt, install_command

# A page costs the headless shell two thirds of what it costs the full browser.
SHELL = "chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
DOWNLOAD_SECONDS = 180
# Where Playwright keeps its browsers differs by system and version, so it is asked.
ASK_PLAYWRIGHT = (
    "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
)


def installed_browser() -> str | None:
    """Return the path of an installed Chromium or Chrome, or None."""
    configured = os.environ.get("CHROMIUM")
    candidates = [configured] if configured else [*NAMES, *(MACOS_APPLICATIONS if MACOS else ())]
    return next((path for name in candidates if (path := shutil.which(name))), None)


def _installed_headless_shell() -> str | None:
    return None if os.environ.get("CHROMIUM") else shutil.which(SHELL)


def playwright_browser() -> str | None:
    """Return the path of Playwright's Chromium if it was downloaded, or None."""
    result = subprocess.run(
        [str(PYTHON), "-c", ASK_PLAYWRIGHT],
        env=child_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    path = result.stdout.strip()
    return path if result.returncode == 0 and path and Path(path).exists() else None


def _download_chromium() -> None:
    """Let Playwright download its browser, where it can reach it."""
    print_line("  Fetching a browser for the journeys …")
    command = [str(PYTHON), "-m", "playwright", "install", "chromium"]
    try:
        subprocess.run(command, env=child_environment(), capture_output=True, check=False, timeout=DOWNLOAD_SECONDS)
    except subprocess.TimeoutExpired:
        print_line("  … it cannot be reached from here")


def _install_distribution_browser() -> str | None:
    installers: list[Callable[[], None]] = []
    if can_use_apt():
        # Not every release has the first.
        installers = [partial(apt_install, f"Installing {name}", [name]) for name in (SHELL, "chromium")]
    elif MACOS and shutil.which("brew"):
        installers = [partial(run_command, "Installing Chromium", ["brew", "install", "--cask", "chromium"])]
    for install in installers:
        try:
            install()
            break
        except CannotContinue as error:
            print_line(f"  {error}")
    return _installed_headless_shell() or installed_browser()


def find_browser() -> str | None:
    """Return the path of a browser that is here, the headless shell first; None if there is none."""
    return _installed_headless_shell() or installed_browser() or playwright_browser()


def ensure_browser() -> str:
    """Return the path of a browser, installing one where that is possible. Raises `CannotContinue`."""
    browser = find_browser()
    if browser is None and can_use_apt():
        # The package depends on the libraries that Playwright's build expects.
        browser = _install_distribution_browser()
    if browser is None:
        _download_chromium()
        browser = playwright_browser() or _install_distribution_browser()
    if browser is None:
        command = install_command(["chromium"], ["--cask", "chromium"])
        raise CannotContinue(f"The browser journeys need a Chromium. Type: {command}")
    return browser
