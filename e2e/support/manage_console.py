"""Run management commands in one process, since loading Django takes longer than most of them.

Each line of the input is a JSON list of arguments; each line of the output is a JSON object with the command's output
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
    """Run a command; return its output, including an error that it raised, and whether it failed."""
    printed, has_failed = StringIO(), False
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            call_command(*arguments)
        except CommandError as error:
            print(error)  # noqa: T201  (part of the command's output)
            has_failed = True
        except Exception:  # noqa: BLE001  (the caller is told about any error)
            traceback.print_exc()
            has_failed = True
    connections.close_all()
    return {"printed": printed.getvalue(), "failed": has_failed}


def main() -> None:
    """Run the commands of the input until it ends."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    for line in sys.stdin:
        answer = run_command(json.loads(line))
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
