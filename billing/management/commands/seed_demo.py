"""`manage.py seed_demo`: import the demo site's catalog and accounts."""

import json
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing import clock, demo_past, demo_seed
from billing.gateway import records
from billing.gateway.errors import GatewayError, NotSent

CONTENT_FILE = Path(settings.BASE_DIR) / "billing" / "fixtures" / "pause_offer_content.json"
WAIT_SECONDS = 30.0
POLL_SECONDS = 0.1


class Command(BaseCommand):
    """Imports what the demo's provider holds. Running it again changes nothing."""

    help = "Import the demo accounts from the sandbox."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the option for the many subscribers."""
        parser.add_argument("--past", action="store_true", help="with the year of the demo's many subscribers")

    def handle(self, *args: Any, past: bool, **options: Any) -> None:
        """Import the catalog and the named accounts. Raises CommandError when the provider fails."""
        self._wait_for_provider()
        now = clock.billing_now()
        try:
            imported = demo_seed.seed_demo_site(json.loads(CONTENT_FILE.read_text()), now=now)
            if past:
                imported += demo_past.seed_past(now=now)
        except GatewayError as error:
            raise CommandError(f"The billing provider could not be reached: {error}") from error
        self.stdout.write(f"{imported} demo accounts are there.")

    def _wait_for_provider(self) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                records.find_catalog_records()
                return
            except NotSent:
                if time.monotonic() > deadline:
                    raise CommandError("The billing provider does not answer.") from None
                time.sleep(POLL_SECONDS)
