"""`manage.py timetravel 31d`: move the billing clock, and run the jobs that fall due on the way."""

import re
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing import clock
from billing.gateway.errors import GatewayError
from billing.jobs import time_travel

DURATION = re.compile(r"(?P<count>[1-9][0-9]{0,3})(?P<unit>[hd])")
SETTINGS_HINT = "Is it running, and was this command given the settings (SANDBOX_PORT, VAR_DIR, …) that it runs with?"
UNITS = {"h": "hours", "d": "days"}


class Command(BaseCommand):
    """Moves the provider's time machine and billing's clock forward."""

    help = "Move the billing clock forward: `31d` or `6h`. Only a test site or the sandbox can travel."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the duration."""
        parser.add_argument("duration", help="How far: a number of hours or days, such as 6h or 31d.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Travel, and print what happens on the way. Raises CommandError when it fails."""
        match = DURATION.fullmatch(options["duration"])
        if match is None:
            raise CommandError("Give a number of hours or days, such as 6h or 31d.")
        duration = timedelta(**{UNITS[match["unit"]]: int(match["count"])})
        try:
            time_travel.travel_forward(duration, report=self.stdout.write)
        except time_travel.WorkerAbsent as error:
            raise CommandError(str(error)) from error
        except GatewayError as error:
            raise CommandError(f"The billing provider could not be reached: {error}. {SETTINGS_HINT}") from error
        self.stdout.write(f"It is now {clock.billing_now():%Y-%m-%d %H:%M} UTC for billing.")
