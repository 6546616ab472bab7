"""Fixtures: a live provider with our plans, and a proxy in front of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from billing.tests.support.celery_workers import worker_environment
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.invariants import assert_settled
from billing.tests.support.live_provider import Provider
from billing.tests.support.shop_template import ShopTemplate
from conftest import Sandbox

# Rewrite the assertions of the property tests' helpers, as in a test.
pytest.register_assert_rewrite(
    "billing.tests.storm.lifecycle.account_lifecycle",
    "billing.tests.storm.lifecycle.churn_lifecycle",
    "billing.tests.storm.lifecycle.pause_periods",
    "billing.tests.storm.lifecycle.shown_figures",
    "billing.tests.storm.lifecycle.true_mails",
    "billing.tests.storm.write_ledger",
    "billing.tests.storm.storm_world",
)


@pytest.fixture(scope="session")
def shop_template(sandbox_process: Sandbox) -> ShopTemplate:
    """Our shop, opened at this process's sandbox by the first test that needs it."""
    return ShopTemplate()


@pytest.fixture
def provider(db: None, sandbox: Sandbox, shop_template: ShopTemplate) -> Provider:
    """The sandbox, reset, with our plans, and with billing's clock on its time."""
    opened = Provider(sandbox=sandbox, sdk=sandbox.client())
    shop_template.open_shop(opened)
    return opened


@pytest.fixture
def faulty_proxy(sandbox: Sandbox, settings: Settings) -> Iterator[FaultyProxy]:
    """The proxy through which the portal reaches the provider in this test."""
    relay = FaultyProxy(sandbox.port)
    settings.CHARGEBEE_ENDPOINT = relay.endpoint
    yield relay
    relay.close()


@pytest.fixture
def assert_settled_after(provider: Provider, settings: Settings) -> Iterator[None]:
    """Afterwards, assert that without faults everything settles and the mirror equals the provider."""
    yield
    settings.CHARGEBEE_ENDPOINT = provider.sandbox.endpoint
    provider.sandbox.clear_faults()
    assert_settled()


@pytest.fixture
def environment(tmp_path: Path, faulty_proxy: FaultyProxy) -> dict[str, str]:
    """The environment of real workers on this test's database, broker and proxy."""
    return worker_environment(tmp_path, faulty_proxy.endpoint)
