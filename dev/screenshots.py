"""`make screenshots`: take pictures of every screen of a temporary demo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.console import CannotContinue, print_line
from dev.paths import PYTHON, ROOT, child_environment, var_dir
from dev.setup import prepare
from dev.setup.chromium import ensure_browser


def main() -> int:
    """Take the pictures; return the exit code, 1 if something is missing or a screen failed."""
    try:
        prepare.prepare_to_test()
        browser = ensure_browser()
    except CannotContinue as error:
        print_line(f"\n{error}")
        return 1
    command = [str(PYTHON), "-m", "e2e.support.screenshots", str(var_dir() / "screenshots")]
    return subprocess.run(command, cwd=ROOT, env={**child_environment(), "CHROMIUM": browser}, check=False).returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
