"""Shared set-up: Ava has an account, the browser is at the door, and the clock stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.dispatch import Signal
from rest_framework.test import APIClient

from accounts import hooks
from accounts.models import Account
from accounts.tests.door import Door

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """A clock that moves only when it is told to."""
    with time_machine.travel(NOON, tick=False) as coordinates:
        yield coordinates


class Receivers:
    """Who hangs on to the hooks during a test; the other applications' receivers are left out."""

    def __init__(self) -> None:
        self._kept: list[tuple[Signal, list[Any]]] = []

    def clear(self, signal: Signal) -> None:
        """Set the signal's receivers aside."""
        self._kept.append((signal, signal.receivers))
        self._set(signal, [])

    def connect(self, signal: Signal, receiver: Callable[..., Any]) -> None:
        """Add one for this test."""
        signal.connect(receiver, weak=False)

    def restore(self) -> None:
        """Put everything back."""
        for signal, receivers in self._kept:
            self._set(signal, receivers)

    @staticmethod
    def _set(signal: Signal, receivers: list[Any]) -> None:
        with signal.lock:
            signal.receivers = receivers
            signal.sender_receivers_cache.clear()


@pytest.fixture(autouse=True)
def receivers() -> Iterator[Receivers]:
    """The hooks without the receivers of other applications: accounts knows none of them."""
    found = Receivers()
    for signal in (
        hooks.finding_account,
        hooks.signed_in,
        hooks.profile_saving,
        hooks.profile_saved,
        hooks.erasing,
    ):
        found.clear(signal)
    yield found
    found.restore()


@pytest.fixture
def ava(db: None) -> Account:
    """A subscriber that the portal knows."""
    return Account.objects.open(email="ava@example.com", first_name="Ava", last_name="Stone")


@pytest.fixture
def door() -> Door:
    """A browser."""
    return Door()


@pytest.fixture
def api() -> APIClient:
    """A client without a token."""
    return APIClient()
