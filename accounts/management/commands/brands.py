"""`manage.py brands`: list the URLs at which each brand is shown."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from accounts.brands.site import portal_url_at_host
from accounts.models import Brand

LOCALHOST_NOTE = """
Browsers take every name under .localhost for this machine, so that nothing has to be set up; card fields and PayPal
work there as well. Safari does not: give the name 127.0.0.1 in /etc/hosts for it."""


class Command(BaseCommand):
    """Prints each brand's name, code and URLs."""

    help = "Say where each brand is seen."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the brands and mark the default one."""
        brands = list(Brand.objects.all())
        if not brands:
            self.stdout.write("There is no brand yet: manage.py seed_site makes the three.")
            return
        for brand in brands:
            default = " (the default: every other host name as well)" if brand.is_default else ""
            self.stdout.write(f"{brand.name} [{brand.code}]{default}")
            for host in brand.host_names:
                self.stdout.write(f"  {portal_url_at_host(host)}/")
        if any(host.endswith(".localhost") for brand in brands for host in brand.host_names):
            self.stdout.write(LOCALHOST_NOTE)
