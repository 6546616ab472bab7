"""`make rehearse`: a rehearsal of production on this machine, which prints what it does and what it sees.

Production's settings, TLS with a certificate of its own, PostgreSQL, Redis, the proxy of `deploy/nginx.conf`, and the
processes as the units of `deploy/systemd/` run them; the sandbox stands in for Chargebee. Everything is deleted
afterwards. `make test` rehearses, too.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.console import CannotContinue, print_line
from dev.paths import PYTHON, ROOT, child_environment
from dev.servers import missing_binaries
from dev.setup import prepare

REHEARSAL = "from faults.support.rehearsal import rehearse; rehearse()"


def main() -> int:
    """Prepare, rehearse, and return the exit code."""
    try:
        prepare.prepare_to_test()
        return 0 if run_rehearsal() else 1
    except CannotContinue as error:
        print_line(str(error))
        return 1


def run_rehearsal(output: IO[bytes] | None = None) -> bool:
    """Rehearse, printing to `output` or the console, and return whether everything was as it must be.

    Raises `CannotContinue` if something that it needs is missing on this machine.
    """
    missing = [*missing_binaries(), *(name for name in ("nginx", "openssl") if shutil.which(name) is None)]
    if missing:
        raise CannotContinue(f"There is no {' and no '.join(missing)} on this machine.")
    # The rehearsal itself only orders and looks; its processes have production's settings.
    environment = {**child_environment(), "PORTAL_ENV": "demo", "DATABASE_URL": "", "REDIS_URL": ""}
    command = [str(PYTHON), "manage.py", "shell", "--no-imports", "-c", REHEARSAL]
    stderr = subprocess.STDOUT if output else None
    return subprocess.run(command, cwd=ROOT, env=environment, stdout=output, stderr=stderr, check=False).returncode == 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
