"""The catalog, created at the provider once per test process and copied for each test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Manager

from billing.mirror import provider_clock
from billing.models import ContentVersion, Coupon, Item, ItemPrice
from billing.tests.support.live_provider import Provider
from conftest import SiteCopy


@dataclass(frozen=True)
class _OpenedShop:
    site: SiteCopy
    mirror: list[tuple[Manager[Any], list[Any]]]


class ShopTemplate:
    """Creates the catalog by the provider's API the first time, and by copies of the site and the mirror afterwards."""

    def __init__(self) -> None:
        self._opened: _OpenedShop | None = None

    def open_shop(self, provider: Provider) -> None:
        """Create what `Provider.open_shop` creates, on a site that was just reset."""
        if self._opened is None:
            provider.open_shop()
            tables: tuple[Manager[Any], ...] = (Item.objects, ItemPrice.objects, Coupon.objects, ContentVersion.objects)
            mirror = [(table, list(table.all())) for table in tables]
            self._opened = _OpenedShop(provider.sandbox.copy_site(), mirror)
            return
        provider.sandbox.restore_site(self._opened.site)
        for table, rows in self._opened.mirror:
            table.bulk_create(rows)
        provider_clock.refresh_offset()
