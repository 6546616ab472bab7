"""The mail outbox: mail is sent after the commit, at least once, and never after it has expired."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, ClassVar

import pytest
import time_machine
from celery import Celery
from celery.signals import before_task_publish
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.locmem import EmailBackend as LocalBackend
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from accounts import tasks
from accounts.mail import outbox
from accounts.mail.queue import queue_mail, queue_mails, register_preparation, retry_mails
from accounts.models import Account, OutgoingMail
from accounts.tests.mail.stalling_mail_server import run_stalling_server
from accounts.tests.sign_in.sign_in_client import (
    CODE_PATTERN,
    SignInClient,
    challenge_from_answer,
    only_queued_mail,
    send_due_mail,
)
from core.workers.leases import LEASE_DURATION

pytestmark = pytest.mark.django_db

# Longer than anything here takes unless it waits for a server that does not respond.
STALLED_SECONDS = 20

RECEIPT: dict[str, object] = {
    "title": "Your pause is scheduled",
    "lines": ["Faith & Family will pause."],
    "facts": [["Pauses on", "June 3, 2026"]],
}


class DownBackend(BaseEmailBackend):
    """A mail server that is down."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise ConnectionRefusedError("nobody listens")


class RefusingBackend(BaseEmailBackend):
    """A mail server that refuses the recipient with `code`."""

    code: ClassVar[int] = 550

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise smtplib.SMTPRecipientsRefused({"ava@example.com": (self.code, b"no")})


class BusyBackend(RefusingBackend):
    """A mail server that refuses the recipient temporarily."""

    code = 451


class DisconnectingBackend(LocalBackend):
    """A mail server that accepts the mail and then closes the connection."""

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        super().send_messages(messages)
        raise smtplib.SMTPServerDisconnected("cut")


def use_mail_backend(settings: Settings, kind: type[BaseEmailBackend]) -> None:
    """Send mail through this backend from now on."""
    settings.EMAIL_BACKEND = f"{kind.__module__}.{kind.__qualname__}"


@pytest.fixture
def broken_broker() -> Iterator[None]:
    """Make the task publish to an address where no broker listens."""
    unreachable_app = Celery("nowhere", set_as_current=False)
    unreachable_app.config_from_object("django.conf:settings", namespace="CELERY")
    unreachable_app.conf.update(broker_url="redis://127.0.0.1:1/0")
    original_app = tasks.send_login_code.app
    tasks.send_login_code.bind(unreachable_app)
    yield
    tasks.send_login_code.bind(original_app)


def queue_receipt(**extra: Any) -> OutgoingMail:
    """Queue a receipt and return its row."""
    queued = queue_mail(kind="receipt", to="ava@example.com", context=RECEIPT, **extra)
    assert queued is not None
    return queued


def test_it_sends_queued_mail(ava: Account) -> None:
    tasks.send_mail(queue_receipt(account=ava).pk)
    assert mail.outbox[0].to == ["ava@example.com"]
    assert mail.outbox[0].subject == "Your pause is scheduled"
    assert only_queued_mail().state == OutgoingMail.State.SENT
    assert only_queued_mail().sent_at is not None


def test_it_sends_a_mail_only_once() -> None:
    queued = queue_receipt()
    tasks.send_mail(queued.pk)
    tasks.send_mail(queued.pk)
    assert len(mail.outbox) == 1


def test_a_task_sends_several_mails_in_their_order() -> None:
    addresses = [f"{name}@example.com" for name in ("ben", "ava", "carla")]
    queued = [queue_mail(kind="receipt", to=address, context=RECEIPT) for address in addresses]
    tasks.send_mail(*(row.pk for row in queued if row is not None))
    assert [message.to for message in mail.outbox] == [[address] for address in addresses]


def test_mails_that_are_queued_together_share_a_task_for_each_queue(django_capture_on_commit_callbacks: Any) -> None:
    sent: list[tuple[str, tuple[int, ...]]] = []

    def record_task(routing_key: str, body: Any, **message: Any) -> None:
        sent.append((routing_key, tuple(body[0])))

    queues = ("mail", "codes", "jobs", "mail")
    mails = [OutgoingMail(kind="receipt", to="ava@example.com", context=RECEIPT, queue=queue) for queue in queues]
    before_task_publish.connect(record_task)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            queue_mails(mails)
    finally:
        before_task_publish.disconnect(record_task)
    first, code, _, last = (row.pk for row in mails)
    assert sent == [("codes", (code,)), ("mail", (first, last))]


def test_a_task_leaves_the_rest_of_its_mails_when_the_mail_server_fails_several_times(settings: Settings) -> None:
    use_mail_backend(settings, DownBackend)
    tasks.send_mail(*(queue_receipt().pk for _ in range(5)))
    assert sorted(OutgoingMail.objects.values_list("attempts", flat=True)) == [0, 0, 1, 1, 1]


def test_a_second_mail_with_the_same_key_is_not_queued() -> None:
    first = queue_receipt(dedupe_key="pause:7")
    again = queue_mail(kind="receipt", to="ava@example.com", context=RECEIPT, dedupe_key="pause:7")
    assert again is None
    assert only_queued_mail() == first


def test_a_duplicate_mail_does_not_break_the_transaction() -> None:
    queue_receipt(dedupe_key="pause:7")
    with transaction.atomic():
        queue_mail(kind="receipt", to="ava@example.com", context=RECEIPT, dedupe_key="pause:7")
        queue_receipt(dedupe_key="pause:8")
    assert OutgoingMail.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_mail_is_not_sent() -> None:
    with transaction.atomic():
        queue_receipt()
        transaction.set_rollback(True)
    send_due_mail()
    assert mail.outbox == []


@pytest.mark.shows("reliability-17")
@pytest.mark.django_db(transaction=True)
def test_a_request_succeeds_quickly_while_the_broker_is_down(
    ava: Account, sign_in_client: SignInClient, broken_broker: None
) -> None:
    start = time.monotonic()
    assert sign_in_client.request_code().status_code == 200
    assert time.monotonic() - start < STALLED_SECONDS
    assert CODE_PATTERN.match(sign_in_client.read_code())


def test_a_request_succeeds_while_the_mail_server_is_down(
    ava: Account, sign_in_client: SignInClient, settings: Settings
) -> None:
    use_mail_backend(settings, DownBackend)
    assert sign_in_client.request_code().status_code == 200
    send_due_mail()
    assert only_queued_mail().state == OutgoingMail.State.PENDING
    assert only_queued_mail().last_error.startswith("ConnectionRefusedError")


@pytest.mark.shows("reliability-24")
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_stalled_mail_server_times_out_and_the_mail_stays_pending(settings: Settings, after: int) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 0.3
    queue_receipt()
    with run_stalling_server(after=after) as port:
        settings.EMAIL_PORT = port
        start = time.monotonic()
        send_due_mail()
    assert time.monotonic() - start < STALLED_SECONDS
    assert only_queued_mail().state == OutgoingMail.State.PENDING
    assert "imeout" in only_queued_mail().last_error or "Disconnected" in only_queued_mail().last_error


def test_a_stalled_mail_server_delays_no_request(
    ava: Account, sign_in_client: SignInClient, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 2 * STALLED_SECONDS
    with run_stalling_server() as port:
        settings.EMAIL_PORT = port
        start = time.monotonic()
        assert sign_in_client.request_code().status_code == 200
    assert time.monotonic() - start < STALLED_SECONDS


def test_a_refused_connection_is_retried(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    queue_receipt()
    send_due_mail()
    assert only_queued_mail().state == OutgoingMail.State.PENDING
    assert only_queued_mail().last_error.startswith("ConnectionRefusedError")


def test_an_expired_mail_is_dropped_and_counted(clock: time_machine.Traveller, settings: Settings) -> None:
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


def test_a_notice_that_waited_for_days_counts_as_expired_for_a_day(clock: time_machine.Traveller) -> None:
    queue_receipt(expires_at=timezone.now() + timedelta(days=3))
    clock.shift(timedelta(days=3))
    outbox.drop_expired_mails()
    assert outbox.outbox_health().lapsed == 1
    clock.shift(timedelta(days=1))
    assert outbox.outbox_health().lapsed == 0


def test_a_mail_dropped_by_its_preparation_can_be_queued_again() -> None:
    before = outbox.PREPARATIONS["receipt"]
    register_preparation("receipt", lambda row: None if row.attempts == 1 else RECEIPT)
    try:
        queue_receipt(dedupe_key="notice:7")
        send_due_mail()
        queue_receipt(dedupe_key="notice:7")
    finally:
        register_preparation("receipt", before)
    assert sorted(OutgoingMail.objects.values_list("state", flat=True)) == ["dropped", "pending"]


def test_a_mail_that_waited_long_to_be_settled_still_has_all_its_tries(
    clock: time_machine.Traveller, settings: Settings
) -> None:
    def refuse_as_unsettled(_: OutgoingMail) -> dict[str, object] | None:
        raise outbox.NotSettled

    use_mail_backend(settings, DownBackend)
    before = outbox.PREPARATIONS["receipt"]
    register_preparation("receipt", refuse_as_unsettled)
    try:
        queued = queue_receipt()
        for _ in range(outbox.MAX_ATTEMPTS + 1):
            tasks.send_mail(queued.pk)
            clock.shift(31)
    finally:
        register_preparation("receipt", before)
    tasks.send_mail(queued.pk)
    queued.refresh_from_db()
    assert (queued.state, queued.attempts) == (OutgoingMail.State.PENDING, 1)
    assert queued.last_error.startswith("ConnectionRefusedError")


@pytest.mark.shows("reliability-30")
@pytest.mark.parametrize("unready", [outbox.NotSettled, outbox.NeedsProvider])
def test_a_worker_that_was_suspended_does_not_release_anothers_mail(unready: type[Exception]) -> None:
    def be_suspended(row: OutgoingMail) -> dict[str, object] | None:
        OutgoingMail.objects.update(next_attempt_at=row.created_at)
        assert OutgoingMail.objects.claim_one(row.pk, lease=LEASE_DURATION) is not None
        raise unready

    before = outbox.PREPARATIONS["receipt"]
    register_preparation("receipt", be_suspended)
    try:
        queued = queue_receipt()
        tasks.send_mail(queued.pk)
    finally:
        register_preparation("receipt", before)
    held = only_queued_mail()
    assert (held.attempts, held.queue) == (2, queued.queue)
    assert not OutgoingMail.objects.due().exists()


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


def test_no_mail_is_retried_early(clock: time_machine.Traveller, settings: Settings) -> None:
    use_mail_backend(settings, DownBackend)
    queued = queue_receipt()
    tasks.send_mail(queued.pk)
    clock.shift(10)
    tasks.send_mail(queued.pk)
    assert outbox.due_mail_ids() == []
    assert only_queued_mail().attempts == 1


def test_a_mail_is_sent_when_the_server_is_back(clock: time_machine.Traveller, settings: Settings) -> None:
    working = settings.EMAIL_BACKEND
    use_mail_backend(settings, DownBackend)
    queue_receipt()
    send_due_mail()
    settings.EMAIL_BACKEND = working
    clock.shift(30)
    send_due_mail()
    assert len(mail.outbox) == 1


def test_it_gives_up_after_the_last_attempt(clock: time_machine.Traveller, settings: Settings) -> None:
    use_mail_backend(settings, DownBackend)
    queued = queue_receipt()
    for _ in range(outbox.MAX_ATTEMPTS):
        tasks.send_mail(queued.pk)
        clock.shift(3 * 3600)
    assert only_queued_mail().state == OutgoingMail.State.FAILED
    assert outbox.due_mail_ids() == []


def test_a_mail_that_was_tried_for_a_day_counts_as_failed_for_a_day_after_that(
    clock: time_machine.Traveller, settings: Settings
) -> None:
    use_mail_backend(settings, DownBackend)
    queued = queue_receipt()
    for _ in range(outbox.MAX_ATTEMPTS):
        tasks.send_mail(queued.pk)
        clock.shift(3 * 3600)
    assert outbox.outbox_health().given_up == 1
    clock.shift(21 * 3600)
    assert outbox.outbox_health().given_up == 0


def test_a_permanently_refused_address_fails_at_once(settings: Settings) -> None:
    use_mail_backend(settings, RefusingBackend)
    tasks.send_mail(queue_receipt().pk)
    assert only_queued_mail().state == OutgoingMail.State.FAILED


def test_a_temporarily_refused_address_is_retried(settings: Settings) -> None:
    use_mail_backend(settings, BusyBackend)
    tasks.send_mail(queue_receipt().pk)
    assert only_queued_mail().state == OutgoingMail.State.PENDING


def test_operators_can_retry_a_failed_mail(settings: Settings) -> None:
    working = settings.EMAIL_BACKEND
    use_mail_backend(settings, RefusingBackend)
    tasks.send_mail(queue_receipt().pk)
    settings.EMAIL_BACKEND = working
    assert len(retry_mails(OutgoingMail.objects.all())) == 1
    send_due_mail()
    assert len(mail.outbox) == 1
    assert retry_mails(OutgoingMail.objects.all()) == []


def test_a_mail_that_a_worker_is_sending_is_not_sent_twice_by_a_retry() -> None:
    sending = OutgoingMail.objects.claim_one(queue_receipt().pk, lease=LEASE_DURATION)
    assert sending is not None
    retry_mails(OutgoingMail.objects.all())
    send_due_mail()
    assert mail.outbox == []
    assert sending.finish(state=OutgoingMail.State.SENT)


def test_operators_can_retry_a_mail_that_waits_for_hours(settings: Settings) -> None:
    queued = queue_receipt()
    OutgoingMail.objects.update(attempts=12, next_attempt_at=timezone.now() + timedelta(hours=2))
    assert retry_mails(OutgoingMail.objects.all()) == [queued]
    send_due_mail()
    assert len(mail.outbox) == 1


def test_a_mail_that_fails_does_not_stop_the_others() -> None:
    queue_mail(kind="no_such_template", to="ava@example.com", context={})
    queue_receipt()
    send_due_mail()
    assert [message.subject for message in mail.outbox] == ["Your pause is scheduled"]


def test_a_mail_with_an_expired_lease_is_sent_by_another_worker(clock: time_machine.Traveller) -> None:
    queued = queue_receipt()
    dead_worker = timezone.now() + LEASE_DURATION
    OutgoingMail.objects.filter(pk=queued.pk).update(next_attempt_at=dead_worker, attempts=1)
    send_due_mail()
    assert mail.outbox == []
    clock.shift(LEASE_DURATION.total_seconds())
    send_due_mail()
    assert len(mail.outbox) == 1


def test_a_mail_that_is_prepared_longer_than_its_lease_is_sent_by_one_worker(clock: time_machine.Traveller) -> None:
    queue_mail(kind="receipt", to="ava@example.com", context=RECEIPT)

    def prepare_slowly(row: OutgoingMail) -> dict[str, object]:
        if row.attempts == 1:
            clock.shift(LEASE_DURATION + timedelta(seconds=1))
            outbox.deliver_mail(row.pk)
        return RECEIPT

    before = outbox.PREPARATIONS["receipt"]
    register_preparation("receipt", prepare_slowly)
    try:
        assert outbox.deliver_mail(OutgoingMail.objects.get().pk)
    finally:
        register_preparation("receipt", before)
    assert len(mail.outbox) == 1
    assert OutgoingMail.objects.get().state == OutgoingMail.State.SENT


def test_a_mail_that_is_sent_again_keeps_its_message_id(clock: time_machine.Traveller, settings: Settings) -> None:
    use_mail_backend(settings, DisconnectingBackend)
    queued = queue_receipt()
    tasks.send_mail(queued.pk)
    clock.shift(30)
    tasks.send_mail(queued.pk)
    first, second = (message.extra_headers["Message-ID"] for message in mail.outbox)
    assert first == second


def test_a_code_mail_that_is_sent_again_has_a_new_code(
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


def test_a_mail_that_needs_the_provider_is_left_to_a_job() -> None:
    def ask_in_a_job(row: OutgoingMail) -> dict[str, object] | None:
        if row.queue != OutgoingMail.Queue.JOBS:
            raise outbox.NeedsProvider
        return RECEIPT

    before = outbox.PREPARATIONS["receipt"]
    register_preparation("receipt", ask_in_a_job)
    try:
        queue_receipt()
        tasks.send_due_mails()
        assert mail.outbox == []
        moved = only_queued_mail()
        assert (moved.queue, moved.state, moved.attempts) == ("jobs", OutgoingMail.State.PENDING, 0)
        tasks.send_due_mails()
        tasks.send_due_codes()
        assert mail.outbox == []
        assert outbox.deliver_due_mails(outbox.Queue.JOBS, until=time.monotonic() + 60) == 1
    finally:
        register_preparation("receipt", before)
    assert len(mail.outbox) == 1


def test_the_beat_of_codes_sends_codes_alone(ava: Account, sign_in_client: SignInClient) -> None:
    queue_receipt()
    sign_in_client.request_code()
    tasks.send_due_codes()
    assert [bool(CODE_PATTERN.search(str(message.body))) for message in mail.outbox] == [True]


def test_codes_are_sent_with_other_mail_if_no_worker_for_codes_runs(ava: Account, sign_in_client: SignInClient) -> None:
    queue_receipt()
    sign_in_client.request_code()
    tasks.send_due_mails()
    assert [bool(CODE_PATTERN.search(str(message.body))) for message in mail.outbox] == [True, False]


def test_a_slice_ends_when_the_mail_server_fails_several_times(settings: Settings) -> None:
    use_mail_backend(settings, DownBackend)
    for _ in range(5):
        queue_receipt()
    tasks.send_due_mails()
    assert sorted(OutgoingMail.objects.values_list("attempts", flat=True)) == [0, 0, 1, 1, 1]


def test_the_tick_publishes_due_mail(sign_in_client: SignInClient) -> None:
    queue_receipt()
    tasks.tick()
    assert only_queued_mail().state == OutgoingMail.State.PENDING
    assert outbox.due_mail_ids() == [only_queued_mail().pk]


def test_a_mail_that_expired_before_its_task_ran_is_dropped(clock: time_machine.Traveller) -> None:
    queued = queue_receipt()
    OutgoingMail.objects.filter(pk=queued.pk).update(expires_at=timezone.now() + timedelta(seconds=5))
    clock.shift(6)
    tasks.send_mail(queued.pk)
    assert mail.outbox == []
    assert only_queued_mail().state == OutgoingMail.State.DROPPED
