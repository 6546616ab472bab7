"""`manage.py timetravel 31d`: move the billing clock, and run on the way what is due (`services.travel`)."""

import re
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing import clock
from billing.gateway.errors import GatewayError
from billing.services import travel

DURATION = re.compile(r"(?P<count>[1-9][0-9]{0,3})(?P<unit>[hd])")
WHERE = "Is it running, and was this command given the settings (SANDBOX_PORT, VAR_DIR, …) that it runs with?"
UNITS = {"h": "hours", "d": "days"}


class Command(BaseCommand):
    """Moves the provider's time machine forward (contract, section 6)."""

    help = "Move the billing clock forward: `31d` or `6h`. Only a test site or the sandbox can travel."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how far to travel."""
        parser.add_argument("duration", help="How far: a number of hours or days, such as 6h or 31d.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Travel, saying what happens on the way. Raises CommandError when it cannot."""
        given = DURATION.fullmatch(options["duration"])
        if given is None:
            raise CommandError("Give a number of hours or days, such as 6h or 31d.")
        duration = timedelta(**{UNITS[given["unit"]]: int(given["count"])})
        try:
            travel.travel(duration, tell=self.stdout.write)
        except travel.WorkerAbsent as error:
            raise CommandError(str(error)) from error
        except GatewayError as error:
            raise CommandError(f"The billing provider could not be asked: {error}. {WHERE}") from error
        self.stdout.write(f"It is now {clock.now():%Y-%m-%d %H:%M} UTC for billing.")
