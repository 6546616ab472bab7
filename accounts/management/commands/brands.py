"""Where to see each brand: by its host names, at the port that the portal serves."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from accounts.models import Brand
from accounts.site import address_at

NOTE = """
Browsers take every name under .localhost for this machine, so that nothing has to be set up; card fields and PayPal
work there as well. Safari does not: give the name 127.0.0.1 in /etc/hosts for it."""


class Command(BaseCommand):
    """Print a line for each brand: its name, its code and the addresses that show it."""

    help = "Say where each brand is seen."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the brands, the default one marked."""
        brands = list(Brand.objects.all())
        if not brands:
            self.stdout.write("There is no brand yet: manage.py seed_site makes the three.")
            return
        for brand in brands:
            default = " (the default: every other host name as well)" if brand.is_default else ""
            self.stdout.write(f"{brand.name} [{brand.code}]{default}")
            for host in brand.host_names:
                self.stdout.write(f"  {address_at(host)}/")
        if any(host.endswith(".localhost") for brand in brands for host in brand.host_names):
            self.stdout.write(NOTE)
