"""``manage.py run_sandbox``: the embedded Chargebee-compatible server, a Django project of its own."""

import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """Replaces this process, so that signals and exit codes are the server's own."""

    help = "Serve the embedded Chargebee-compatible sandbox on SANDBOX_PORT."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Become the sandbox process; does not return."""
        root = str(Path(__file__).resolve().parents[3])
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        os.environ["DJANGO_SETTINGS_MODULE"] = "billing.sandbox.settings"
        os.execv(  # noqa: S606  (our own command, no shell wanted)
            sys.executable, [sys.executable, "-m", "billing.sandbox"]
        )
