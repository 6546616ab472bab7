"""Web servers and workers that are ended while they work, as a deployment does (reliability, row 16)."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from django.utils import timezone

from accounts.mail import queue
from accounts.models import OutgoingMail
from billing.models import Command
from billing.tests.live import FAITH
from faults.portal import Portal, wait_until

PAUSE = "/api/account/pause?days=30"
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
# Less than a deployment gives before it kills (docs/deployment.md).
GRACE_SECONDS = 30.0
LETTERS = 12


def test_a_web_server_that_is_replaced_answers_what_it_had_begun(portal: Portal) -> None:
    people = [portal.subscriber(f"lena{number}", FAITH) for number in range(6)]
    paused = len(portal.provider.events("subscription_pause_scheduled"))
    portal.to_provider.slow_down(0.7)
    with ThreadPoolExecutor(len(people)) as pool:
        asked = [pool.submit(browser.post, PAUSE) for _, browser in people]
        commands = Command.objects.filter(account__in=[account for account, _ in people])
        wait_until(lambda: commands.count() == len(people))
        assert portal.processes["web"].terminate() < GRACE_SECONDS
        assert Counter(one.result().status_code for one in asked) == {200: len(people)}
    portal.serve()
    assert set(commands.values_list("state", flat=True)) == {Command.State.SUCCEEDED}
    assert len(portal.provider.events("subscription_pause_scheduled")) == paused + len(people)


def letters_to(name: str) -> list[str]:
    """Put letters into the outbox; their messages wait in the queue."""
    addresses = [f"{name}{number}@example.com" for number in range(LETTERS)]
    for address in addresses:
        assert queue(kind="receipt", to=address, context=RECEIPT) is not None
    return addresses


def announce(portal: Portal) -> None:
    """Publish what waits in the outbox."""
    for pk in OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING).values_list("pk", flat=True):
        portal.send("accounts.tasks.send_mail", pk)


def test_a_worker_that_is_replaced_ends_its_work_and_the_next_one_does_the_rest(portal: Portal) -> None:
    addresses = letters_to("nora")
    portal.to_post_office.slow_down(0.2)
    announce(portal)
    wait_until(lambda: any(map(portal.post_office.to, addresses)), what="the first letter")
    assert portal.processes["worker"].terminate() < GRACE_SECONDS
    left = OutgoingMail.objects.filter(to__in=addresses, state=OutgoingMail.State.PENDING)
    assert left.exists()
    assert not left.filter(attempts__gt=0).exists()

    portal.to_post_office.mend()
    portal.run("worker")
    wait_until(lambda: not left.exists(), what="the rest of the letters")
    assert [len(portal.post_office.to(address)) for address in addresses] == [1] * LETTERS


def test_what_a_killed_worker_had_taken_is_done_once_by_the_next(portal: Portal) -> None:
    addresses = letters_to("olga")
    portal.to_post_office.fall_silent()
    announce(portal)
    taken = OutgoingMail.objects.filter(to__in=addresses, attempts=1)
    wait_until(lambda: taken.count() == 2, what="both of the worker's hands full")
    portal.processes["worker"].kill()
    assert not any(map(portal.post_office.to, addresses))

    portal.to_post_office.mend()
    portal.run("worker")
    left = OutgoingMail.objects.filter(to__in=addresses, state=OutgoingMail.State.PENDING)
    wait_until(lambda: left.count() == 2, what="the letters that nobody had in hand")
    # Who died with them held them for two minutes.
    left.update(next_attempt_at=timezone.now())
    portal.tick()
    wait_until(lambda: not left.exists(), what="the letters of the dead")
    assert [len(portal.post_office.to(address)) for address in addresses] == [1] * LETTERS
