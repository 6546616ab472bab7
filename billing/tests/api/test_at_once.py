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
from billing.tests.api.mirrored import FAITH, KIDS
from billing.tests.api.shop import Shop

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

TIMES = 20
PAUSE = "/api/account/pause?days=30"


def at_once(
    account: Account, headers: Callable[[int], dict[str, str]], path: str = PAUSE, body: Any = None
) -> list[Any]:
    """Ask for the same change twenty times at the same moment, a pause if no other is named; the answers."""
    browsers = [Browser(account) for _ in range(TIMES)]
    start = Barrier(TIMES)

    def ask(number: int) -> Any:
        start.wait()
        try:
            return browsers[number].post(path, body, headers=headers(number))
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


# What each change may be refused with while another is made, or after it.
CHANGES: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "an addition": ("/api/account/add-remove-service", {"planIds": [FAITH, KIDS]}, {"no_change"}),
    "an upgrade": ("/api/account/upgrade", {}, {"no_change"}),
    "a code": ("/api/account/add-coupon/SAVE20", {}, {"coupon_already_applied"}),
    "a free month": ("/api/account/claim-my-offer", {}, {"offer_already_claimed"}),
}


@pytest.mark.parametrize(("path", "body", "refusals"), CHANGES.values(), ids=CHANGES.keys())
def test_twenty_changes_at_once_are_one(
    shop: Shop, path: str, body: dict[str, Any], refusals: set[str]
) -> None:
    account = shop.customer("alice")
    shop.coupon("SAVE20", percent=20)
    shop.free_month()
    shop.subscribe("alice", FAITH)
    answers = at_once(account, lambda number: {"Idempotency-Key": f"key {number}"}, path, body)
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: TIMES - 1}
    codes = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert codes <= {"change_in_progress", *refusals}
    assert Command.objects.count() == 1
    charged = next(answer.json().get("dueNow", 0) for answer in answers if answer.status_code == 200)
    assert sum(one["amount_paid"] for one in shop.invoices("alice")) == 699 + charged
