"""Shared fixtures: Ava's account, a browser, and a frozen clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.dispatch import Signal
from rest_framework.test import APIClient

from accounts import signals
from accounts.models import Account
from accounts.tests.sign_in.sign_in_client import SignInClient

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """Freeze time until the test moves it."""
    with time_machine.travel(NOON, tick=False) as coordinates:
        yield coordinates


class SignalReceivers:
    """The signal receivers during a test, without those of other applications."""

    def __init__(self) -> None:
        self._original: list[tuple[Signal, list[Any]]] = []

    def remove_receivers(self, signal: Signal) -> None:
        """Remove the signal's receivers until they are restored."""
        self._original.append((signal, signal.receivers))
        self._set_receivers(signal, [])

    def add_receiver(self, signal: Signal, receiver: Callable[..., Any]) -> None:
        """Connect a receiver for this test."""
        signal.connect(receiver, weak=False)

    def restore_receivers(self) -> None:
        """Restore the original receivers."""
        for signal, receivers in self._original:
            self._set_receivers(signal, receivers)

    @staticmethod
    def _set_receivers(signal: Signal, receivers: list[Any]) -> None:
        with signal.lock:
            signal.receivers = receivers
            signal.sender_receivers_cache.clear()


@pytest.fixture(autouse=True)
def receivers() -> Iterator[SignalReceivers]:
    """Remove the receivers of other applications, on which accounts does not depend."""
    signal_receivers = SignalReceivers()
    for signal in (
        signals.address_entered,
        signals.account_signed_in,
        signals.profile_pre_save,
        signals.profile_post_save,
        signals.account_erasing,
    ):
        signal_receivers.remove_receivers(signal)
    yield signal_receivers
    signal_receivers.restore_receivers()


@pytest.fixture
def ava(db: None) -> Account:
    """Return a subscriber's account."""
    return Account.objects.open_account(email="ava@example.com", first_name="Ava", last_name="Stone")


@pytest.fixture
def sign_in_client() -> SignInClient:
    """Return a browser that is not signed in."""
    return SignInClient()


@pytest.fixture
def api() -> APIClient:
    """Return a client without a token."""
    return APIClient()
