"""What must hold when many ask at once, on a real PostgreSQL (security, rows 5, 7 and 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.core import mail
from django.db import connection

from accounts import tasks
from accounts.mail import queue
from accounts.models import Account, LoginChallenge, OutgoingMail, SessionToken, SignInEvent
from accounts.tests.door import Door, challenge_of, only_mail, other_than

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

AT_ONCE = 20


@pytest.fixture
def at_once() -> Iterator[Callable[[Callable[[int], Any]], list[Any]]]:
    """Run one function twenty times, all starting at the same moment, each on a connection of its own."""
    barrier = Barrier(AT_ONCE)

    def run(work: Callable[[int], Any]) -> list[Any]:
        def one(number: int) -> Any:
            try:
                barrier.wait(timeout=20)
                return work(number)
            finally:
                connection.close()

        return list(pool.map(one, range(AT_ONCE)))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield run


def test_twenty_right_codes_give_one_token(ava: Account, door: Door, at_once: Any) -> None:
    challenge = door.ask().json()["challengeId"]
    code = door.read_code()
    statuses = at_once(lambda _: Door().attempt(code, challengeId=challenge).status_code)
    assert Counter(statuses)[200] == 1
    assert set(statuses) <= {200, 400, 429}
    assert SessionToken.objects.count() == 1
    assert SignInEvent.objects.filter(kind=SignInEvent.Kind.OK).count() == 1


def test_twenty_wrong_codes_use_five_tries(ava: Account, door: Door, at_once: Any) -> None:
    challenge = door.ask()
    wrong = other_than(door.read_code())
    named = challenge.json()["challengeId"]
    statuses = at_once(lambda _: Door().attempt(wrong, challengeId=named).status_code)
    assert Counter(statuses) == {400: 5, 429: 15}
    assert challenge_of(challenge).tries == 5


def test_twenty_blind_guesses_are_five_tries_and_ten_at_most(ava: Account, door: Door, at_once: Any) -> None:
    challenge = door.ask()
    wrong = other_than(door.read_code())
    statuses = at_once(lambda _: Door().attempt(wrong).status_code)
    assert Counter(statuses) == {400: 5, 429: 15}
    assert challenge_of(challenge).blind_tries == 5


def test_twenty_requests_for_one_address_open_one_challenge(ava: Account, at_once: Any) -> None:
    statuses = at_once(lambda _: Door().ask().status_code)
    assert Counter(statuses) == {200: 1, 429: 19}
    assert LoginChallenge.objects.count() == OutgoingMail.objects.count() == 1


def test_one_network_address_never_gets_more_than_its_limit(at_once: Any) -> None:
    first = at_once(lambda number: Door().ask(f"first{number}@example.com").status_code)
    second = at_once(lambda number: Door().ask(f"second{number}@example.com").status_code)
    assert Counter(first + second) == {200: 20, 429: 20}


def test_twenty_workers_send_a_mail_once(at_once: Any) -> None:
    queue(kind="receipt", to="ava@example.com", context={"title": "Paused", "lines": [], "facts": []})
    number = only_mail().pk
    at_once(lambda _: tasks.send_mail(number))
    assert len(mail.outbox) == 1
    assert only_mail().attempts == 1


def test_twenty_mails_of_one_key_are_one(at_once: Any) -> None:
    queued = at_once(
        lambda _: queue(kind="receipt", to="ava@example.com", context={}, dedupe_key="pause:7") is not None
    )
    assert Counter(queued) == {True: 1, False: 19}


def test_an_address_opened_twenty_times_is_one_account(at_once: Any) -> None:
    opened = at_once(lambda _: Account.objects.open(email="ben@example.com").pk)
    assert len(set(opened)) == 1
