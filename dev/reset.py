"""`make reset`: delete the demo's data. What was installed and built stays."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.console import print_line
from dev.paths import InvalidSetting, portal_port, read_dotenv, sandbox_port, var_dir

# By name, so that other files in VAR_DIR are kept.
DEMO_FILES = (
    "db.sqlite3*",
    "sandbox.sqlite3*",
    "celerybeat-schedule*",
    "celery",
    "mail",
    "media",
    "static",
    ".done",
)


def _is_demo_running() -> bool:
    for number in (portal_port(), sandbox_port()):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", number)) == 0:
                return True
    return False


def main() -> int:
    """Delete the files; return the exit code, 1 if the demo is running and uses them."""
    read_dotenv()
    try:
        running = _is_demo_running()
    except InvalidSetting as error:
        print_line(str(error))
        return 1
    if running:
        print_line("The demo is running. Stop it first (Ctrl-C where it was started).")
        return 1
    for place in (place for pattern in DEMO_FILES for place in var_dir().glob(pattern)):
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
    if os.environ.get("DATABASE_URL"):
        print_line("The database of DATABASE_URL is left as it is: empty it yourself.")
    print_line(f"The demo's data in {var_dir()} is gone; `make run` makes it anew.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
