"""A provider that sells our plans, and the portal that knows what time it is there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from billing.tests.cable import Cable
from billing.tests.live import Provider
from conftest import Sandbox

# What the property test asserts there is told in full, as in a test.
pytest.register_assert_rewrite("billing.tests.life")


@pytest.fixture
def provider(db: None, sandbox: Sandbox) -> Provider:
    """The sandbox, started afresh, with our plans on sale and its clock followed."""
    opened = Provider(sandbox=sandbox, sdk=sandbox.client())
    opened.open_shop()
    return opened


@pytest.fixture
def cable(sandbox: Sandbox, settings: Settings) -> Iterator[Cable]:
    """The only way from the portal to the provider in this test."""
    relay = Cable(sandbox.port)
    settings.CHARGEBEE_ENDPOINT = relay.endpoint
    yield relay
    relay.close()
