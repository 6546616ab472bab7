"""Deployments that stop web servers and workers while they work."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.utils import timezone

from accounts.mail.queue import queue_mail
from accounts.models import OutgoingMail
from billing.models import Command
from billing.tests.support.live_provider import FAITH
from faults.support.running_portal import RunningPortal, wait_until

PAUSE = "/api/account/pause?days=30"
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
# Less than a deployment waits before SIGKILL (docs/deployment.md).
GRACE_SECONDS = 30.0
MAILS = 12


@pytest.mark.shows("reliability-16")
def test_a_stopping_web_server_answers_the_requests_it_has_begun(portal: RunningPortal) -> None:
    people = [portal.create_subscriber(f"lena{number}", FAITH) for number in range(6)]
    paused = len(portal.provider.events("subscription_pause_scheduled"))
    portal.provider_proxy.slow_down(0.7)
    with ThreadPoolExecutor(len(people)) as pool:
        asked = [pool.submit(browser.post, PAUSE) for _, browser in people]
        commands = Command.objects.filter(account__in=[account for account, _ in people])
        wait_until(lambda: commands.count() == len(people))
        assert portal.processes["web"].terminate_process() < GRACE_SECONDS
        assert Counter(future.result().status_code for future in asked) == {200: len(people)}
    portal.start_web()
    assert set(commands.values_list("state", flat=True)) == {Command.State.SUCCEEDED}
    assert len(portal.provider.events("subscription_pause_scheduled")) == paused + len(people)


def queue_mails(name: str) -> list[str]:
    """Store mails in the outbox; return their addresses."""
    addresses = [f"{name}{number}@example.com" for number in range(MAILS)]
    for address in addresses:
        assert queue_mail(kind="receipt", to=address, context=RECEIPT) is not None
    return addresses


def publish_outbox(portal: RunningPortal) -> None:
    """Enqueue the tasks of the mails in the outbox."""
    for pk in OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING).values_list("pk", flat=True):
        portal.send_task("accounts.tasks.send_mail", pk)


@pytest.mark.shows("reliability-16")
def test_a_stopping_worker_finishes_its_tasks_and_the_next_worker_does_the_rest(
    portal: RunningPortal,
) -> None:
    addresses = queue_mails("nora")
    portal.mail_relay.slow_down(0.2)
    publish_outbox(portal)
    wait_until(lambda: any(map(portal.mail_server.mails_to, addresses)), what="the first letter")
    assert portal.processes["worker"].terminate_process() < GRACE_SECONDS
    left = OutgoingMail.objects.filter(to__in=addresses, state=OutgoingMail.State.PENDING)
    assert left.exists()
    assert not left.filter(attempts__gt=0).exists()

    portal.mail_relay.restore()
    portal.run_process("worker")
    wait_until(lambda: not left.exists(), what="the rest of the letters")
    assert [len(portal.mail_server.mails_to(address)) for address in addresses] == [1] * MAILS


@pytest.mark.shows("reliability-16")
def test_a_task_of_a_killed_worker_is_done_once_by_the_next_worker(portal: RunningPortal) -> None:
    addresses = queue_mails("olga")
    portal.mail_relay.stop_answering()
    publish_outbox(portal)
    taken = OutgoingMail.objects.filter(to__in=addresses, attempts=1)
    wait_until(lambda: taken.count() == 2, what="both of the worker's hands full")
    portal.processes["worker"].kill_process()
    assert not any(map(portal.mail_server.mails_to, addresses))

    portal.mail_relay.restore()
    portal.run_process("worker")
    left = OutgoingMail.objects.filter(to__in=addresses, state=OutgoingMail.State.PENDING)
    wait_until(lambda: left.count() == 2, what="the letters that nobody had in hand")
    # Expire the leases of the killed worker.
    left.update(next_attempt_at=timezone.now())
    portal.send_ticks()
    wait_until(lambda: not left.exists(), what="the letters of the dead")
    assert [len(portal.mail_server.mails_to(address)) for address in addresses] == [1] * MAILS
