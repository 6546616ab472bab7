"""`manage.py reconcile`: compare the mirror with the provider, and repair it or print every difference."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing import clock
from billing.gateway.errors import GatewayError
from billing.mirror import reconcile
from billing.mirror.batch_runs import RunHeld
from core.leases import LeaseLost


class Command(BaseCommand):
    """Repairs the mirror; with --check prints every difference instead, and fails when there is one."""

    help = "Bring the mirror to what the provider holds, or with --check print every difference."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add `--check` and `--restart`."""
        parser.add_argument(
            "--check", action="store_true", help="Mend nothing; exit 1 when anything differs."
        )
        parser.add_argument(
            "--restart",
            action="store_true",
            help="Begin anew, instead of going on where one that was interrupted stopped.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare and repair.

        Raises CommandError when `--check` finds differences, the provider fails, or another process is reconciling.
        """
        try:
            if options["check"]:
                self._check_mirror()
            else:
                reconcile.repair_mirror(
                    now=clock.billing_now(), progress=self.stdout.write, afresh=options["restart"]
                )
        except GatewayError as error:
            raise CommandError(f"The billing provider could not be asked: {error}") from error
        except (RunHeld, LeaseLost) as error:
            raise CommandError(
                "Another process is comparing, or was until minutes ago; look at the reconcile runs in the admin. "
                "With --restart this one begins anew in its place."
            ) from error

    def _check_mirror(self) -> None:
        count = 0
        for count, difference in enumerate(reconcile.find_differences(), start=1):  # noqa: B007  (the last count is the total)
            self.stdout.write(str(difference))
        if count:
            raise CommandError(f"{count} differences")
