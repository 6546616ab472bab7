"""A provider that sells our plans, and the portal that knows what time it is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from billing.tests.cable import Cable
from billing.tests.calm import assert_calm
from billing.tests.live import Provider
from billing.tests.workers import environment_of_workers
from conftest import Sandbox

# What the property test asserts there is told in full, as in a test.
pytest.register_assert_rewrite(
    "billing.tests.life", "billing.tests.leaving", "billing.tests.ledger", "billing.tests.storm"
)


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


@pytest.fixture
def in_step(provider: Provider, settings: Settings) -> Iterator[None]:
    """Once the test's faults are over everything settles, and the portal holds what the provider holds."""
    yield
    settings.CHARGEBEE_ENDPOINT = provider.sandbox.endpoint
    provider.sandbox.behave()
    assert_calm()


@pytest.fixture
def environment(tmp_path: Path, cable: Cable) -> dict[str, str]:
    """The environment of real workers on this test's database, broker and cable."""
    return environment_of_workers(tmp_path, cable.endpoint)
