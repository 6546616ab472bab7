"""`manage.py import_site`: import all customers of the provider's site with their records."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing import clock
from billing.gateway.errors import GatewayError
from billing.job_runs import RunHeld
from billing.mirror import reconcile
from core.workers.leases import LeaseLost


class Command(BaseCommand):
    """Imports the site, page by page at the pace of jobs. An interrupted import continues where it stopped."""

    help = "Import all customers, subscriptions, payment methods, payments and invoices, and open the accounts."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add `--restart`."""
        parser.add_argument(
            "--restart",
            action="store_true",
            help="Start from the beginning instead of continuing an interrupted import.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the site. Raises CommandError if the provider fails or another process is importing."""
        try:
            reconcile.import_site(now=clock.billing_now(), progress=self.stdout.write, afresh=options["restart"])
        except GatewayError as error:
            raise CommandError(
                f"The billing provider could not be reached: {error}. The same command continues the import."
            ) from error
        except (RunHeld, LeaseLost) as error:
            raise CommandError(
                "Another process is importing, or was until minutes ago; see the job runs in the admin. "
                "With --restart this one replaces it and starts from the beginning."
            ) from error
