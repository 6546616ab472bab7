"""Run management commands one after the other in one process: loading Django costs more than most of them.

Each line of the input is a JSON list of arguments; each line of the output is a JSON object: what the command printed,
and whether it failed.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import django
from django.core.management import CommandError, call_command
from django.db import connections


def run_command(arguments: list[str]) -> dict[str, object]:
    """Run a command and return what it printed, with the error if it raised one."""
    printed, has_failed = StringIO(), False
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            call_command(*arguments)
        except CommandError as error:
            print(error)  # noqa: T201  (part of what the command printed)
            has_failed = True
        except Exception:  # noqa: BLE001  (whatever it is, the one who asked for the command is told)
            traceback.print_exc()
            has_failed = True
    connections.close_all()
    return {"printed": printed.getvalue(), "failed": has_failed}


def main() -> None:
    """Answer until the input ends."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    for line in sys.stdin:
        answer = run_command(json.loads(line))
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
