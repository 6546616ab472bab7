"""Fixtures for a site whose clock begins at the date of a test."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import SiteDriver


@pytest.fixture
def shop(chargebee_client: Any, sandbox: Any) -> SiteDriver:
    """A site that opens on March 10, 2026, at noon."""
    return SiteDriver.open_site(chargebee_client, sandbox)


@pytest.fixture
def shop_on(chargebee_client: Any, sandbox: Any) -> Callable[[int, int, int], SiteDriver]:
    """Open a site at noon of a date."""

    def open_on(year: int, month: int, day: int) -> SiteDriver:
        sandbox.start_afresh(datetime(year, month, day, 12, tzinfo=UTC))
        return SiteDriver.open_site(chargebee_client, sandbox)

    return open_on
