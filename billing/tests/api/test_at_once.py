"""Twenty at once have one effect, on the database that production runs on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from accounts.models import Account
from billing.models import Command, PauseSchedule
from billing.tests.api.browser import Browser
from billing.tests.api.mirrored import FAITH
from billing.tests.api.shop import Shop

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

TIMES = 20
PAUSE = "/api/account/pause?days=30"


def at_once(account: Account, headers: Callable[[int], dict[str, str]]) -> list[Any]:
    """Ask for the same pause twenty times at the same moment; the answers."""
    browsers = [Browser(account) for _ in range(TIMES)]
    start = Barrier(TIMES)

    def ask(number: int) -> Any:
        start.wait()
        try:
            return browsers[number].post(PAUSE, headers=headers(number))
        finally:
            connection.close()

    with ThreadPoolExecutor(TIMES) as pool:
        return list(pool.map(ask, range(TIMES)))


def test_twenty_with_one_key_get_one_answer(shop: Shop) -> None:
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    answers = at_once(account, lambda _: {"Idempotency-Key": "one"})
    assert Counter(answer.status_code for answer in answers) == {200: TIMES}
    assert [answer.json() for answer in answers] == [answers[0].json()] * TIMES
    assert shop.happened("subscription_pause_scheduled") == 1
    assert (Command.objects.count(), PauseSchedule.objects.count()) == (1, 1)


def test_twenty_with_keys_of_their_own_act_once(shop: Shop) -> None:
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    answers = at_once(account, lambda number: {"Idempotency-Key": f"key {number}"})
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: TIMES - 1}
    codes = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert codes <= {"already_paused", "change_in_progress"}
    assert shop.happened("subscription_pause_scheduled") == 1
    assert PauseSchedule.objects.count() == 1
