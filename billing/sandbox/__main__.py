"""``python -m billing.sandbox``: bring the database up to date, then become the server."""

import os
import sys
from pathlib import Path

import django
from django.core.management import call_command

from billing.sandbox import settings

GUNICORN = [
    "gunicorn",
    "billing.sandbox.wsgi",
    "--workers=1",
    "--worker-class=gthread",
    "--threads=16",
    "--keep-alive=75",
    # The longest it allows: a list may be asked for a hundred ids.
    "--limit-request-line=8190",
    "--timeout=120",
    "--graceful-timeout=5",
    "--log-level=warning",
    # The control socket of gunicorn lives in the home directory and is nothing this server needs.
    "--no-control-socket",
]


def main() -> None:
    """Migrate and replace this process with gunicorn, one worker."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "billing.sandbox.settings"
    django.setup()
    Path(settings.SANDBOX_DATABASE).parent.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False)
    command = [*GUNICORN, f"--bind=127.0.0.1:{settings.SANDBOX_PORT}"]
    if log := os.environ.get("SANDBOX_ACCESS_LOG"):
        command.append(f"--access-logfile={log}")
    os.execv(  # noqa: S606  (our own command, no shell wanted)
        sys.executable, [sys.executable, "-m", *command]
    )


if __name__ == "__main__":
    main()
