"""`manage.py reconcile`: hold the mirror against the provider, and mend it or tell every difference."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing import clock
from billing.gateway.errors import GatewayError
from billing.services import reconcile


class Command(BaseCommand):
    """Mends by default; with --check prints every difference and exits non-zero when there is one."""

    help = "Bring the mirror to what the provider holds, or with --check print every difference."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take `--check`."""
        parser.add_argument(
            "--check", action="store_true", help="Change nothing; exit 1 when anything differs."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the comparison. Raises CommandError when something differs or the provider cannot be asked."""
        try:
            if options["check"]:
                self._check()
            else:
                reconcile.mend(now=clock.now(), progress=self.stdout.write)
        except GatewayError as error:
            raise CommandError(f"The billing provider could not be asked: {error}") from error

    def _check(self) -> None:
        found = list(reconcile.differences())
        for difference in found:
            self.stdout.write(str(difference))
        if found:
            raise CommandError(f"{len(found)} differences")
