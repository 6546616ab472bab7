"""`manage.py reconcile`: compare the mirror with the provider, and repair it or print every difference."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing import clock
from billing.gateway.errors import GatewayError
from billing.job_runs import RunHeld
from billing.mirror import reconcile
from core.workers.leases import LeaseLost


class Command(BaseCommand):
    """Repairs the mirror; with --check prints every difference instead, and fails if there is one."""

    help = "Make the mirror equal to the provider's records, or with --check print every difference."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the addresses, `--check` and `--restart`."""
        parser.add_argument("emails", nargs="*", help="With --check: compare only the customers with these addresses.")
        parser.add_argument("--check", action="store_true", help="Repair nothing; exit 1 if anything differs.")
        parser.add_argument(
            "--restart",
            action="store_true",
            help="Start from the beginning instead of continuing an interrupted run.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare and repair.

        Raises CommandError if `--check` finds differences, the provider fails, or another process is reconciling.
        """
        if options["emails"] and not options["check"]:
            raise CommandError("Addresses need --check: a repair compares the whole site.")
        try:
            if options["check"]:
                self._check_mirror(options["emails"])
            else:
                reconcile.repair_mirror(now=clock.billing_now(), progress=self.stdout.write, afresh=options["restart"])
        except GatewayError as error:
            raise CommandError(f"The billing provider could not be reached: {error}") from error
        except (RunHeld, LeaseLost) as error:
            raise CommandError(
                "Another process is comparing, or was until minutes ago; see the job runs in the admin. "
                "With --restart this one replaces it and starts from the beginning."
            ) from error

    def _check_mirror(self, emails: list[str]) -> None:
        count = 0
        found = reconcile.find_account_differences(emails) if emails else reconcile.find_differences()
        for count, difference in enumerate(found, start=1):  # noqa: B007  (the last count is the total)
            self.stdout.write(str(difference))
        if count:
            raise CommandError(f"{count} differences")
