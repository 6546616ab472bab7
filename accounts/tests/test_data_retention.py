"""How long data is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts import tasks
from accounts.mail.queue import queue_mail
from accounts.models import Account, LoginChallenge, OutgoingMail, SignInEvent
from accounts.tests.sign_in.sign_in_client import SignInClient, send_due_mail
from core.models import LimitCounter

pytestmark = pytest.mark.django_db


@pytest.mark.shows("rule-17")
def test_sign_in_events_are_kept_for_thirteen_months(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.request_code()
    send_due_mail()
    clock.shift(timedelta(days=395))
    tasks.tick()
    assert SignInEvent.objects.count() == 1
    clock.shift(timedelta(days=2))
    tasks.tick()
    assert not SignInEvent.objects.exists()


def test_challenges_and_their_mails_are_deleted_after_a_day(
    sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_client.request_code("stranger@example.com")
    send_due_mail()
    clock.shift(timedelta(hours=25))
    tasks.tick()
    assert not LoginChallenge.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_counters_are_deleted_after_their_window(sign_in_client: SignInClient, clock: time_machine.Traveller) -> None:
    sign_in_client.request_code()
    clock.shift(timedelta(seconds=31))
    tasks.tick()
    assert set(LimitCounter.objects.values_list("key", flat=True)) == {
        "send-address:127.0.0.1:ava@example.com",
        "send-network:127.0.0.1",
        "send-mailbox:ava@example.com",
    }
    clock.shift(timedelta(hours=1))
    tasks.tick()
    assert not LimitCounter.objects.exists()


def test_a_pending_mail_is_never_deleted(ava: Account, clock: time_machine.Traveller) -> None:
    queue_mail(kind="receipt", to=ava.email, context={"title": "Paused", "lines": [], "facts": []})
    clock.shift(timedelta(days=400))
    tasks.tick()
    assert OutgoingMail.objects.count() == 1


def test_an_expired_notice_stays_visible_to_operators(ava: Account, clock: time_machine.Traveller) -> None:
    expiry = timezone.now() + timedelta(days=2)
    queue_mail(kind="notice", to=ava.email, context={}, dedupe_key="notice:7", expires_at=expiry)
    clock.shift(timedelta(days=30))
    tasks.tick()
    assert OutgoingMail.objects.get().state == OutgoingMail.State.DROPPED
    clock.shift(timedelta(days=400))
    tasks.tick()
    assert not OutgoingMail.objects.exists()
