"""Fixtures: a sandbox that is set up as the portal needs it, and the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from billing.models import BundleRate
from billing.tests.support.live_provider import Provider

WRONG, OK, UNREADABLE = "wrong", "ok", "cannot be read"


@dataclass(frozen=True)
class SiteReport:
    """What the command printed as JSON, and whether it failed."""

    findings: list[dict[str, str]]
    failure: str

    def wrong(self) -> list[dict[str, str]]:
        """Return the findings that are wrong."""
        return [finding for finding in self.findings if finding["state"] == WRONG]

    def state(self, needed: str) -> str:
        """Return the state of the only finding whose need begins so."""
        [state] = [finding["state"] for finding in self.findings if finding["needed"].startswith(needed)]
        return state


CheckSite = Callable[..., SiteReport]


@pytest.fixture
def check_site() -> CheckSite:
    """Run the command and return what it found."""

    def run(**options: Any) -> SiteReport:
        output, failure = StringIO(), ""
        try:
            call_command("check_site", json=True, patience=0.0, stdout=output, stderr=StringIO(), **options)
        except CommandError as error:
            failure = str(error)
        return SiteReport(json.loads(output.getvalue() or "[]"), failure)

    return run


@pytest.fixture
def ready_site(provider: Provider, settings: Settings) -> Provider:
    """The sandbox with plans, the coupons of the bundle rates, and a webhook."""
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    provider.sdk.WebhookEndpoint.create({"name": "Portal", "url": f"{settings.BASE_URL}/webhooks/chargebee"})
    return provider


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Where a recording is written."""
    return tmp_path / "recording.json"
