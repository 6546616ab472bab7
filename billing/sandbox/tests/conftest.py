"""A shop on a sandbox whose clock begins at the date a test names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from billing.sandbox.tests.shop import Shop


@pytest.fixture
def shop(chargebee_client: Any, sandbox: Any) -> Shop:
    """A shop opened on 10 March 2026, noon."""
    return Shop.opened(chargebee_client, sandbox)


@pytest.fixture
def shop_on(chargebee_client: Any, sandbox: Any) -> Callable[[int, int, int], Shop]:
    """Open a shop at noon of a date."""

    def open_on(year: int, month: int, day: int) -> Shop:
        sandbox.start_afresh(datetime(year, month, day, 12, tzinfo=UTC))
        return Shop.opened(chargebee_client, sandbox)

    return open_on
