"""`make screenshots`: pictures of every screen, of a demo of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev import prepare
from dev.browser import ensure_browser
from dev.console import CannotContinue, say
from dev.places import PYTHON, ROOT, child_environment, var_dir


def main() -> int:
    """Return the exit code: 1 when something is missing or a screen could not be taken."""
    try:
        prepare.prepare_to_test()
        browser = ensure_browser()
    except CannotContinue as error:
        say(f"\n{error}")
        return 1
    command = [str(PYTHON), "-m", "e2e.pictures", str(var_dir() / "screenshots")]
    return subprocess.run(
        command, cwd=ROOT, env={**child_environment(), "CHROMIUM": browser}, check=False
    ).returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
