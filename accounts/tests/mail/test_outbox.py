"""The mail outbox: sent once committed, at least once, and never what has lost its meaning."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, ClassVar

import pytest
import time_machine
from celery import Celery
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.locmem import EmailBackend as LocalBackend
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from accounts import tasks
from accounts.mail import outbox
from accounts.mail.queue import queue_mail, register_preparation, retry_mails
from accounts.models import Account, OutgoingMail
from accounts.tests.mail.stalling_mail_server import run_stalling_server
from accounts.tests.sign_in.sign_in_client import (
    CODE_PATTERN,
    SignInClient,
    challenge_from_answer,
    only_queued_mail,
    send_due_mail,
)

pytestmark = pytest.mark.django_db

# Nobody waits so long who does not wait for something that does not come.
PATIENCE_SECONDS = 20

RECEIPT: dict[str, object] = {
    "title": "Your pause is scheduled",
    "lines": ["Faith & Family will pause."],
    "facts": [["Pauses on", "June 3, 2026"]],
}


class DownBackend(BaseEmailBackend):
    """A mail server that does not answer."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise ConnectionRefusedError("nobody listens")


class RefusingBackend(BaseEmailBackend):
    """A mail server that refuses the address, with the code of the class."""

    code: ClassVar[int] = 550

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise smtplib.SMTPRecipientsRefused({"ava@example.com": (self.code, b"no")})


class BusyBackend(RefusingBackend):
    """A mail server that refuses the address for now."""

    code = 451


class DisconnectingBackend(LocalBackend):
    """A mail server that takes the mail and then breaks the connection."""

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        super().send_messages(messages)
        raise smtplib.SMTPServerDisconnected("cut")


def use_mail_backend(settings: Settings, kind: type[BaseEmailBackend]) -> None:
    """Send through this one from now on."""
    settings.EMAIL_BACKEND = f"{kind.__module__}.{kind.__qualname__}"


@pytest.fixture
def broken_broker() -> Iterator[None]:
    """The tasks publish to an address where no broker listens."""
    nowhere = Celery("nowhere", set_as_current=False)
    nowhere.config_from_object("django.conf:settings", namespace="CELERY")
    nowhere.conf.update(broker_url="redis://127.0.0.1:1/0")
    kept = tasks.send_login_code.app
    tasks.send_login_code.bind(nowhere)
    yield
    tasks.send_login_code.bind(kept)


def queue_receipt(**extra: Any) -> OutgoingMail:
    """Queue a receipt."""
    queued = queue_mail(kind="receipt", to="ava@example.com", context=RECEIPT, **extra)
    assert queued is not None
    return queued


def test_it_sends_what_is_queued(ava: Account) -> None:
    tasks.send_mail(queue_receipt(account=ava).pk)
    assert mail.outbox[0].to == ["ava@example.com"]
    assert mail.outbox[0].subject == "Your pause is scheduled"
    assert only_queued_mail().state == OutgoingMail.State.SENT
    assert only_queued_mail().sent_at is not None


def test_it_sends_nothing_twice() -> None:
    queued = queue_receipt()
    tasks.send_mail(queued.pk)
    tasks.send_mail(queued.pk)
    assert len(mail.outbox) == 1


def test_a_second_mail_with_the_same_key_is_not_queued() -> None:
    first = queue_receipt(dedupe_key="pause:7")
    again = queue_mail(kind="receipt", to="ava@example.com", context=RECEIPT, dedupe_key="pause:7")
    assert again is None
    assert only_queued_mail() == first


def test_the_refused_second_mail_leaves_the_transaction_whole() -> None:
    queue_receipt(dedupe_key="pause:7")
    with transaction.atomic():
        queue_mail(kind="receipt", to="ava@example.com", context=RECEIPT, dedupe_key="pause:7")
        queue_receipt(dedupe_key="pause:8")
    assert OutgoingMail.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_is_not_sent() -> None:
    with transaction.atomic():
        queue_receipt()
        transaction.set_rollback(True)
    send_due_mail()
    assert mail.outbox == []


@pytest.mark.shows("reliability-17")
@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_down_fails_nothing_and_holds_nobody_up(
    ava: Account, sign_in_client: SignInClient, broken_broker: None
) -> None:
    began = time.monotonic()
    assert sign_in_client.request_code().status_code == 200
    assert time.monotonic() - began < PATIENCE_SECONDS
    assert CODE_PATTERN.match(sign_in_client.read_code())


def test_a_mail_server_that_is_down_fails_no_request(
    ava: Account, sign_in_client: SignInClient, settings: Settings
) -> None:
    use_mail_backend(settings, DownBackend)
    assert sign_in_client.request_code().status_code == 200
    send_due_mail()
    assert only_queued_mail().state == OutgoingMail.State.PENDING
    assert only_queued_mail().last_error.startswith("ConnectionRefusedError")


@pytest.mark.shows("reliability-24")
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_mail_server_that_stalls_is_left_after_its_time_out_and_tried_again(settings: Settings, after: int) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 0.3
    queue_receipt()
    with run_stalling_server(after=after) as port:
        settings.EMAIL_PORT = port
        began = time.monotonic()
        send_due_mail()
    assert time.monotonic() - began < PATIENCE_SECONDS
    assert only_queued_mail().state == OutgoingMail.State.PENDING
    assert "imeout" in only_queued_mail().last_error or "Disconnected" in only_queued_mail().last_error


def test_a_mail_server_that_stalls_holds_no_request_up(
    ava: Account, sign_in_client: SignInClient, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 2 * PATIENCE_SECONDS
    with run_stalling_server() as port:
        settings.EMAIL_PORT = port
        began = time.monotonic()
        assert sign_in_client.request_code().status_code == 200
    assert time.monotonic() - began < PATIENCE_SECONDS


def test_a_closed_port_is_a_reason_to_try_again(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    queue_receipt()
    send_due_mail()
    assert only_queued_mail().state == OutgoingMail.State.PENDING
    assert only_queued_mail().last_error.startswith("ConnectionRefusedError")


def test_one_that_lapses_is_dropped_and_counted(clock: time_machine.Traveller, settings: Settings) -> None:
    use_mail_backend(settings, DownBackend)
    queue_receipt(expires_at=timezone.now() + timedelta(minutes=5))
    queue_receipt()
    send_due_mail()
    clock.shift(301)
    send_due_mail()
    assert {mail.state for mail in OutgoingMail.objects.filter(expires_at__isnull=False)} == {"dropped"}
    assert outbox.outbox_health() == outbox.OutboxHealth(
        waiting=1, oldest=OutgoingMail.objects.get(state="pending").created_at, lapsed=1, given_up=0
    )


def test_one_that_is_not_wanted_when_it_leaves_may_be_queued_again() -> None:
    before = outbox.PREPARATIONS["receipt"]
    register_preparation("receipt", lambda row: None if row.attempts == 1 else RECEIPT)
    try:
        queue_receipt(dedupe_key="notice:7")
        send_due_mail()
        queue_receipt(dedupe_key="notice:7")
    finally:
        register_preparation("receipt", before)
    assert sorted(OutgoingMail.objects.values_list("state", flat=True)) == ["dropped", "pending"]


@pytest.mark.shows("reliability-24")
def test_it_waits_longer_after_each_failure(clock: time_machine.Traveller, settings: Settings) -> None:
    use_mail_backend(settings, DownBackend)
    queued = queue_receipt()
    waits = []
    for _ in range(10):
        tasks.send_mail(queued.pk)
        queued.refresh_from_db()
        assert queued.next_attempt_at is not None
        waits.append((queued.next_attempt_at - timezone.now()).total_seconds())
        clock.shift(waits[-1])
    assert waits[0] == pytest.approx(20, rel=0.1)
    assert waits[1] == pytest.approx(40, rel=0.1)
    assert waits[-1] == pytest.approx(7200, rel=0.1)


def test_nothing_is_tried_before_its_time(clock: time_machine.Traveller, settings: Settings) -> None:
    use_mail_backend(settings, DownBackend)
    queued = queue_receipt()
    tasks.send_mail(queued.pk)
    clock.shift(10)
    tasks.send_mail(queued.pk)
    assert outbox.due_mail_ids() == []
    assert only_queued_mail().attempts == 1


def test_a_mail_goes_out_when_the_server_is_back(clock: time_machine.Traveller, settings: Settings) -> None:
    working = settings.EMAIL_BACKEND
    use_mail_backend(settings, DownBackend)
    queue_receipt()
    send_due_mail()
    settings.EMAIL_BACKEND = working
    clock.shift(30)
    send_due_mail()
    assert len(mail.outbox) == 1


def test_it_gives_up_in_the_end(clock: time_machine.Traveller, settings: Settings) -> None:
    use_mail_backend(settings, DownBackend)
    queued = queue_receipt()
    for _ in range(outbox.MAX_ATTEMPTS):
        tasks.send_mail(queued.pk)
        clock.shift(3 * 3600)
    assert only_queued_mail().state == OutgoingMail.State.FAILED
    assert outbox.due_mail_ids() == []


def test_an_address_refused_for_good_is_given_up_at_once(settings: Settings) -> None:
    use_mail_backend(settings, RefusingBackend)
    tasks.send_mail(queue_receipt().pk)
    assert only_queued_mail().state == OutgoingMail.State.FAILED


def test_an_address_refused_for_now_is_tried_again(settings: Settings) -> None:
    use_mail_backend(settings, BusyBackend)
    tasks.send_mail(queue_receipt().pk)
    assert only_queued_mail().state == OutgoingMail.State.PENDING


def test_operators_can_have_it_tried_again(settings: Settings) -> None:
    working = settings.EMAIL_BACKEND
    use_mail_backend(settings, RefusingBackend)
    tasks.send_mail(queue_receipt().pk)
    settings.EMAIL_BACKEND = working
    assert len(retry_mails(OutgoingMail.objects.all())) == 1
    send_due_mail()
    assert len(mail.outbox) == 1
    assert retry_mails(OutgoingMail.objects.all()) == []


def test_one_bad_mail_does_not_stop_the_others() -> None:
    queue_mail(kind="no_such_template", to="ava@example.com", context={})
    queue_receipt()
    send_due_mail()
    assert [message.subject for message in mail.outbox] == ["Your pause is scheduled"]


def test_a_lease_that_ran_out_is_taken_over(clock: time_machine.Traveller) -> None:
    queued = queue_receipt()
    dead_worker = timezone.now() + outbox.LEASE_DURATION
    OutgoingMail.objects.filter(pk=queued.pk).update(next_attempt_at=dead_worker, attempts=1)
    send_due_mail()
    assert mail.outbox == []
    clock.shift(outbox.LEASE_DURATION.total_seconds())
    send_due_mail()
    assert len(mail.outbox) == 1


def test_a_mail_sent_again_keeps_its_message_id(clock: time_machine.Traveller, settings: Settings) -> None:
    use_mail_backend(settings, DisconnectingBackend)
    queued = queue_receipt()
    tasks.send_mail(queued.pk)
    clock.shift(30)
    tasks.send_mail(queued.pk)
    first, second = (message.extra_headers["Message-ID"] for message in mail.outbox)
    assert first == second


def test_a_code_sent_again_is_a_new_one_and_the_newest_works(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller, settings: Settings
) -> None:
    use_mail_backend(settings, DisconnectingBackend)
    challenge = sign_in_client.request_code()
    send_due_mail()
    settings.EMAIL_BACKEND = f"{LocalBackend.__module__}.{LocalBackend.__qualname__}"
    clock.shift(30)
    newest = sign_in_client.read_code()
    first, second = (message.extra_headers["Message-ID"] for message in mail.outbox)
    assert first != second
    assert sign_in_client.submit_code(newest, challengeId=str(challenge_from_answer(challenge).pk)).status_code == 200


def test_a_code_whose_challenge_was_replaced_is_not_sent(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    first = sign_in_client.request_code().json()["challengeId"]
    clock.shift(31)
    sign_in_client.request_code(challengeId=first)
    send_due_mail()
    assert len(mail.outbox) == 1


def test_the_task_of_a_challenge_sends_its_code(ava: Account, sign_in_client: SignInClient) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    tasks.send_login_code(challenge)
    tasks.send_login_code(challenge)
    assert len(mail.outbox) == 1


def test_the_tick_publishes_what_waits(sign_in_client: SignInClient) -> None:
    queue_receipt()
    tasks.tick()
    assert only_queued_mail().state == OutgoingMail.State.PENDING
    assert outbox.due_mail_ids() == [only_queued_mail().pk]


def test_an_expired_mail_is_dropped_even_when_its_message_comes_late(clock: time_machine.Traveller) -> None:
    queued = queue_receipt()
    OutgoingMail.objects.filter(pk=queued.pk).update(expires_at=timezone.now() + timedelta(seconds=5))
    clock.shift(6)
    tasks.send_mail(queued.pk)
    assert mail.outbox == []
    assert only_queued_mail().state == OutgoingMail.State.DROPPED
