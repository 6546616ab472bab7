"""``python -m chargebee_sandbox``: migrate the database, then start the server."""

import os
import sys
from pathlib import Path

import django
from django.core.management import call_command

from chargebee_sandbox import settings

GUNICORN_COMMAND = [
    "gunicorn",
    "chargebee_sandbox.wsgi",
    "--workers=1",
    "--worker-class=gthread",
    "--threads=16",
    "--keep-alive=75",
    # The maximum: a list may be filtered by a hundred ids.
    "--limit-request-line=8190",
    "--timeout=120",
    "--graceful-timeout=5",
    "--log-level=warning",
    # Gunicorn would put its control socket, which nothing here uses, into the home directory.
    "--no-control-socket",
]


def main() -> None:
    """Migrate, then replace this process with gunicorn and its only worker."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "chargebee_sandbox.settings"
    django.setup()
    # Its models need Django to be set up.
    from chargebee_sandbox.site_settings import default_settings

    default_settings()
    Path(settings.SANDBOX_DATABASE).parent.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False)
    command = [*GUNICORN_COMMAND, f"--bind=127.0.0.1:{settings.SANDBOX_PORT}"]
    if log := os.environ.get("SANDBOX_ACCESS_LOG"):
        command.append(f"--access-logfile={log}")
    os.execv(  # noqa: S606  (our own command, without a shell)
        sys.executable, [sys.executable, "-m", *command]
    )


if __name__ == "__main__":
    main()
