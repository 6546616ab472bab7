"""`make reset`: forget the demo's data. What was installed and built stays."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.console import say
from dev.places import BadSetting, port, read_dotenv, sandbox_port, var_dir

# By name, so that a VAR_DIR that holds other things loses none of them.
OURS = (
    "db.sqlite3*",
    "sandbox.sqlite3*",
    "celerybeat-schedule*",
    "celery",
    "mail",
    "media",
    "static",
    ".done",
)


def _something_runs() -> bool:
    for number in (port(), sandbox_port()):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", number)) == 0:
                return True
    return False


def main() -> int:
    """Return the exit code: 1 when the demo is running, since its files are then in use."""
    read_dotenv()
    try:
        running = _something_runs()
    except BadSetting as error:
        say(str(error))
        return 1
    if running:
        say("The demo is running. Stop it first (Ctrl-C where it was started).")
        return 1
    for place in (place for pattern in OURS for place in var_dir().glob(pattern)):
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
    if os.environ.get("DATABASE_URL"):
        say("The database of DATABASE_URL is left as it is: empty it yourself.")
    say(f"The demo's data in {var_dir()} is gone; `make run` makes it anew.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
