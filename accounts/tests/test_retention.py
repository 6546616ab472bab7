"""What is kept, and how long (contract, rule 17)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts import tasks
from accounts.mail import queue
from accounts.models import Account, LimitCounter, LoginChallenge, OutgoingMail, SignInEvent
from accounts.tests.door import Door, post

pytestmark = pytest.mark.django_db


def test_sign_in_events_are_kept_for_thirteen_months(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    door.ask()
    post()
    clock.shift(timedelta(days=395))
    tasks.tick()
    assert SignInEvent.objects.count() == 1
    clock.shift(timedelta(days=2))
    tasks.tick()
    assert not SignInEvent.objects.exists()


def test_challenges_and_their_mails_are_gone_after_a_day(door: Door, clock: time_machine.Traveller) -> None:
    door.ask("stranger@example.com")
    post()
    clock.shift(timedelta(hours=25))
    tasks.tick()
    assert not LoginChallenge.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_counters_are_gone_with_their_window(door: Door, clock: time_machine.Traveller) -> None:
    door.ask()
    clock.shift(timedelta(seconds=31))
    tasks.tick()
    assert set(LimitCounter.objects.values_list("key", flat=True)) == {
        "send-address:ava@example.com",
        "send-network:127.0.0.1",
    }
    clock.shift(timedelta(hours=1))
    tasks.tick()
    assert not LimitCounter.objects.exists()


def test_a_mail_that_waits_is_never_forgotten(ava: Account, clock: time_machine.Traveller) -> None:
    queue(kind="receipt", to=ava.email, context={"title": "Paused", "lines": [], "facts": []})
    clock.shift(timedelta(days=400))
    tasks.tick()
    assert OutgoingMail.objects.count() == 1


def test_a_notice_that_lapsed_stays_for_operators_to_see(ava: Account, clock: time_machine.Traveller) -> None:
    lapses = timezone.now() + timedelta(days=2)
    queue(kind="notice", to=ava.email, context={}, dedupe_key="notice:7", expires_at=lapses)
    clock.shift(timedelta(days=30))
    tasks.tick()
    assert OutgoingMail.objects.get().state == OutgoingMail.State.DROPPED
    clock.shift(timedelta(days=400))
    tasks.tick()
    assert not OutgoingMail.objects.exists()
