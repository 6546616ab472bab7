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
        """Take `--check` and `--restart`."""
        parser.add_argument(
            "--check", action="store_true", help="Mend nothing; exit 1 when anything differs."
        )
        parser.add_argument(
            "--restart",
            action="store_true",
            help="Begin anew, instead of going on where one that was interrupted stopped.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the comparison.

        Raises CommandError when something differs, the provider cannot be asked or another process is at it.
        """
        try:
            if options["check"]:
                self._check()
            else:
                reconcile.mend(now=clock.now(), progress=self.stdout.write, afresh=options["restart"])
        except GatewayError as error:
            raise CommandError(f"The billing provider could not be asked: {error}") from error
        except (reconcile.RunHeld, reconcile.TakenOver) as error:
            raise CommandError(
                "Another process is comparing, or was until minutes ago; look at the reconcile runs in the admin. "
                "With --restart this one begins anew in its place."
            ) from error

    def _check(self) -> None:
        count = 0
        for count, difference in enumerate(reconcile.differences(), start=1):  # noqa: B007  (the last one is the sum)
            self.stdout.write(str(difference))
        if count:
            raise CommandError(f"{count} differences")
