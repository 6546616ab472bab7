"""Concurrent sign-in requests, on PostgreSQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from rest_framework.test import APIClient

from accounts import tasks
from accounts.mail.queue import queue_mail
from accounts.models import Account, LoginChallenge, OutgoingMail, SessionToken, SignInEvent
from accounts.sign_in.guessing import count_failure
from accounts.sign_in.limits import FAILURES
from accounts.tests.sign_in.sign_in_client import (
    SignInClient,
    challenge_from_answer,
    different_code,
    only_queued_mail,
)

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

AT_ONCE = 20


@pytest.fixture
def at_once() -> Iterator[Callable[[Callable[[int], Any]], list[Any]]]:
    """Return a function that runs another twenty times at the same moment, each on its own connection."""
    barrier = Barrier(AT_ONCE)

    def run_at_once(work: Callable[[int], Any]) -> list[Any]:
        def work_on_connection(number: int) -> Any:
            try:
                barrier.wait(timeout=20)
                return work(number)
            finally:
                connection.close()

        return list(pool.map(work_on_connection, range(AT_ONCE)))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield run_at_once


@pytest.mark.shows("security-5")
def test_twenty_correct_submissions_give_one_token(ava: Account, sign_in_client: SignInClient, at_once: Any) -> None:
    challenge = sign_in_client.request_code().json()["challengeId"]
    code = sign_in_client.read_code()
    statuses = at_once(lambda _: SignInClient().submit_code(code, challengeId=challenge).status_code)
    assert Counter(statuses)[200] == 1
    assert set(statuses) <= {200, 400, 429}
    assert SessionToken.objects.count() == 1
    assert SignInEvent.objects.filter(kind=SignInEvent.Kind.OK).count() == 1


@pytest.mark.shows("security-7")
def test_twenty_wrong_submissions_use_five_tries(ava: Account, sign_in_client: SignInClient, at_once: Any) -> None:
    challenge = sign_in_client.request_code()
    wrong = different_code(sign_in_client.read_code())
    named = challenge.json()["challengeId"]
    statuses = at_once(lambda _: SignInClient().submit_code(wrong, challengeId=named).status_code)
    assert Counter(statuses) == {400: 5, 429: 15}
    assert challenge_from_answer(challenge).tries == 5


@pytest.mark.shows("security-7")
def test_twenty_guesses_without_a_challenge_use_five_tries(
    ava: Account, sign_in_client: SignInClient, at_once: Any
) -> None:
    challenge = sign_in_client.request_code()
    wrong = different_code(sign_in_client.read_code())
    statuses = at_once(lambda _: SignInClient().submit_code(wrong).status_code)
    assert Counter(statuses) == {400: 5, 429: 15}
    assert challenge_from_answer(challenge).blind_tries == 5


def test_twenty_requests_for_one_address_open_one_challenge(ava: Account, at_once: Any) -> None:
    statuses = at_once(lambda _: SignInClient().request_code().status_code)
    assert Counter(statuses) == {200: 1, 429: 19}
    assert LoginChallenge.objects.count() == OutgoingMail.objects.count() == 1


@pytest.mark.shows("security-11")
def test_a_network_address_never_exceeds_its_limit(at_once: Any) -> None:
    first = at_once(lambda number: SignInClient().request_code(f"first{number}@example.com").status_code)
    second = at_once(lambda number: SignInClient().request_code(f"second{number}@example.com").status_code)
    assert Counter(first + second) == {200: 20, 429: 20}


@pytest.mark.shows("security-50")
def test_twenty_guesses_at_once_never_exceed_the_hundred(
    ava: Account, sign_in_client: SignInClient, at_once: Any
) -> None:
    for _ in range(FAILURES.count - 3):
        count_failure(ava.email, known_browser="")
    strangers = [SignInClient(APIClient(REMOTE_ADDR=f"198.51.100.{number}")) for number in range(AT_ONCE)]
    challenges = [stranger.request_code().json()["challengeId"] for stranger in strangers]
    wrong = different_code(sign_in_client.read_code())
    answers = at_once(lambda n: strangers[n].submit_code(wrong, challengeId=challenges[n]).status_code)
    assert Counter(answers) == {400: 3, 429: 17}
    assert OutgoingMail.objects.filter(kind="sign_in_closed").count() == 1


@pytest.mark.shows("security-49")
def test_twenty_strangers_at_once_never_exceed_the_mailbox(ava: Account, at_once: Any) -> None:
    strangers = [SignInClient(APIClient(REMOTE_ADDR=f"198.51.100.{number}")) for number in range(AT_ONCE)]
    assert Counter(at_once(lambda n: strangers[n].request_code().status_code)) == {200: 20}
    assert OutgoingMail.objects.count() == 6
    assert LoginChallenge.objects.exclude(shares_code_of=None).count() == 14


@pytest.mark.shows("reliability-30")
def test_twenty_workers_send_a_mail_once(at_once: Any) -> None:
    queue_mail(kind="receipt", to="ava@example.com", context={"title": "Paused", "lines": [], "facts": []})
    number = only_queued_mail().pk
    at_once(lambda _: tasks.send_mail(number))
    assert len(mail.outbox) == 1
    assert only_queued_mail().attempts == 1


def test_twenty_mails_with_one_key_queue_one(at_once: Any) -> None:
    queued = at_once(
        lambda _: queue_mail(kind="receipt", to="ava@example.com", context={}, dedupe_key="pause:7") is not None
    )
    assert Counter(queued) == {True: 1, False: 19}
