"""Cancelling and keeping under faults: done once, said once, what was said kept, and everything as it was after."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.models import BundleRate, CancellationFeedback, Command, PauseSchedule, RetentionEvent
from billing.queries.owned import live_holdings
from billing.services import alignment, cancelling, feedback, sweep, sync
from billing.survey import Survey
from billing.tests.api.browser import Browser
from billing.tests.cable import Cable
from billing.tests.live import FAITH, GOSPEL, KIDS, Provider, fingerprint

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_step")]

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
# What `leave` writes: a pause and a downgrade set aside, two ends, and the coupons of the one that stays: off, on.
WRITES = range(1, 7)
# What `stay` writes for the one with the pause: its end taken back, its pause again, two coupons off and on.
WRITES_BACK = range(1, 5)
SURVEY = {"reason": "Too expensive", "offer": "pause"}


@pytest.fixture
def ava(provider: Provider) -> Account:
    """Faith & Family with a scheduled pause, Gospel TV for a year with a scheduled downgrade, Kids."""
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    account = provider.subscriber("ava")
    for plan, unit in ((FAITH, "Monthly"), (GOSPEL, "Yearly"), (KIDS, "Monthly")):
        provider.subscribe("ava", plan, unit=unit, coupon_ids=["BUNDLE-3"])
    sync.resync_account(account)
    browser = Browser(account)
    named = {"subscriptionId": [provider.subscription(account, FAITH).id]}
    assert browser.post("/api/account/subscriptions/multiple-pause", named).status_code == 200
    assert browser.post("/api/account/downgrade", {"planIds": [GOSPEL]}).status_code == 200
    alignment.align(account, now=clock.now())
    OutgoingMail.objects.all().delete()
    RetentionEvent.objects.all().delete()
    return account


def ids(provider: Provider, account: Account) -> list[str]:
    """The subscriptions that are cancelled."""
    return [provider.subscription(account, plan).id for plan in (FAITH, GOSPEL)]


def leave(provider: Provider, account: Account) -> Any:
    """Cancel two of the three, always with the same key."""
    body = {"subscriptionIds": ids(provider, account), **SURVEY}
    path = "/api/account/subscriptions/cancel"
    return Browser(account).post(path, body, headers={"Idempotency-Key": "leave"})


def stay(account: Account, subscription_id: str) -> Any:
    """Keep one of them, always with the same key."""
    path = "/api/account/subscription/remove-scheduled-cancellation"
    headers = {"Idempotency-Key": f"stay-{subscription_id}"}
    return Browser(account).post(path, {"subscriptionId": [subscription_id]}, headers=headers)


def fingerprints(provider: Provider, account: Account) -> list[dict[str, Any]]:
    """What must be as it was, of all three."""
    return [fingerprint(provider.subscription(account, plan).raw_data) for plan in (FAITH, GOSPEL, KIDS)]


def settle() -> None:
    """Let the leases run out and the sweep work."""
    Command.objects.filter(state__in=Command.OPEN).update(
        next_attempt_at=timezone.now() - timedelta(seconds=1)
    )
    sweep.run(now=clock.now())


def assert_in_step(provider: Provider, account: Account) -> None:
    """Nobody was billed again, and the portal says what the provider holds."""
    assert len(provider.invoices(account)) == 3
    assert alignment.needed(account) == []


def assert_left_once(provider: Provider, account: Account) -> None:
    held = [provider.subscription(account, plan) for plan in (FAITH, GOSPEL, KIDS)]
    assert [one.status for one in held] == ["non_renewing", "non_renewing", "active"]
    assert [one.raw_data.get("pause_date") for one in held] == [None, None, None]
    assert [row.coupon_id for row in held[2].coupons] == ["BUNDLE-2"]
    assert CancellationFeedback.objects.get().outcome == "cancelled"
    assert CancellationFeedback.objects.get().reason == "Too expensive"
    counts = RetentionEvent.objects.values_list("kind", flat=True)
    assert sorted(counts) == ["cancelled"] * 2 + ["offer_refused"] * 2 + ["offer_shown"] * 2
    assert OutgoingMail.objects.count() == 1
    assert PauseSchedule.objects.get().state == PauseSchedule.State.CANCELLED
    assert_in_step(provider, account)


@pytest.mark.parametrize("number", WRITES)
def test_whichever_answer_is_lost_it_is_cancelled_once(
    provider: Provider, cable: Cable, ava: Account, number: int
) -> None:
    cable.lose_write(number, HTML if number % 2 else b"")
    answer = leave(provider, ava)
    assert (answer.status_code, answer.json()["code"]) == (503, "billing_unconfirmed")
    assert CancellationFeedback.objects.get().outcome == "requested"

    cable.mend()
    settle()

    assert leave(provider, ava).status_code == 200
    assert_left_once(provider, ava)


@pytest.mark.parametrize("number", WRITES)
def test_after_the_providers_window_it_looks_and_the_same_call_finishes(
    provider: Provider, cable: Cable, ava: Account, number: int
) -> None:
    cable.lose_write(number)
    leave(provider, ava)
    cable.mend()
    provider.travel(minutes=31)
    settle()

    assert leave(provider, ava).status_code == 200
    assert_left_once(provider, ava)


@pytest.mark.parametrize("number", WRITES_BACK)
def test_whichever_answer_is_lost_everything_is_as_it_was(
    provider: Provider, cable: Cable, ava: Account, number: int
) -> None:
    before = fingerprints(provider, ava)
    leave(provider, ava)
    faith, gospel = ids(provider, ava)
    assert stay(ava, gospel).status_code == 200
    cable.lose_write(number)
    assert stay(ava, faith).status_code == 503

    cable.mend()
    settle()

    assert stay(ava, faith).status_code == 200
    assert fingerprints(provider, ava) == before
    assert RetentionEvent.objects.filter(kind="kept").count() == 2
    assert not RetentionEvent.objects.filter(kind="pause_scheduled").exists()
    assert_in_step(provider, ava)


def leave_both(account: Account, provider: Provider, key: str) -> Any:
    """Cancel both of a bundle of two."""
    body = {"subscriptionIds": ids(provider, account), **SURVEY}
    path = "/api/account/subscriptions/cancel"
    return Browser(account).post(path, body, headers={"Idempotency-Key": key})


@pytest.fixture
def bea(provider: Provider) -> Account:
    """Faith & Family and a day later Gospel TV: a bundle of two, and each bills on a day of its own."""
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    account = provider.subscriber("bea", FAITH, coupon_ids=["BUNDLE-2"])
    provider.travel(days=1)
    provider.subscribe("bea", GOSPEL, coupon_ids=["BUNDLE-2"])
    sync.resync_account(account)
    return account


def test_what_was_left_half_done_is_finished_by_a_new_click_after_the_coupons_were_put_right(
    provider: Provider, bea: Account
) -> None:
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.misbehave("error", f"/subscriptions/{gospel}/cancel_for_items", status=429)
    answer = leave_both(bea, provider, "one")
    assert (answer.status_code, answer.json()["code"]) == (502, "billing_partial")
    assert alignment.align(bea, now=clock.now())  # as the worker does that a webhook told of the first

    assert leave_both(bea, provider, "another").status_code == 200

    assert [provider.subscription(bea, plan).status for plan in (FAITH, GOSPEL)] == ["non_renewing"] * 2
    assert len(provider.events("subscription_cancellation_scheduled")) == 2
    assert Command.objects.get(kind="cancel").state == Command.State.SUCCEEDED
    assert set(CancellationFeedback.objects.values_list("outcome", flat=True)) == {"cancelled"}
    assert OutgoingMail.objects.filter(kind="receipt").count() == 1


def test_a_cancellation_of_which_coupons_alone_were_left_is_done_once_they_were_put_right(
    provider: Provider, bea: Account
) -> None:
    faith, gospel = ids(provider, bea)
    path, body = "/api/account/subscriptions/cancel", {"subscriptionIds": [faith], **SURVEY}
    provider.sandbox.misbehave("error", f"/subscriptions/{gospel}/*", method="POST", status=429)
    assert Browser(bea).post(path, body).status_code == 502
    assert alignment.align(bea, now=clock.now())

    assert Browser(bea).post(path, body).status_code == 200

    assert [provider.subscription(bea, plan).status for plan in (FAITH, GOSPEL)] == ["non_renewing", "active"]
    assert set(CancellationFeedback.objects.values_list("outcome", flat=True)) == {"cancelled"}


def test_what_was_taken_back_elsewhere_since_is_ended_too_when_a_half_done_cancellation_is_repeated(
    provider: Provider, bea: Account
) -> None:
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.misbehave("error", f"/subscriptions/{gospel}/cancel_for_items", status=429)
    assert leave_both(bea, provider, "one").status_code == 502
    provider.console(bea, "keep", FAITH)
    sync.resync_account(bea)

    assert leave_both(bea, provider, "another").status_code == 200

    assert [provider.subscription(bea, plan).status for plan in (FAITH, GOSPEL)] == ["non_renewing"] * 2


def test_what_was_not_begun_is_planned_anew_on_what_there_is_then(provider: Provider, bea: Account) -> None:
    provider.console(bea, "pause now", GOSPEL)
    sync.resync_account(bea)
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.misbehave("error", "/subscriptions/*/cancel_for_items", status=429)
    assert leave_both(bea, provider, "one").status_code == 503
    provider.console(bea, "resume", GOSPEL)
    sync.resync_account(bea)

    assert leave_both(bea, provider, "one").status_code == 200

    held = provider.sdk.Subscription.retrieve(gospel).subscription
    assert held.status == "non_renewing"  # a paused one would have ended at once
    assert Command.objects.get().state == Command.State.SUCCEEDED


def test_what_the_sweep_finds_refused_is_said_to_be_not_done(
    provider: Provider, cable: Cable, ava: Account
) -> None:
    faith = provider.subscription(ava, FAITH).id

    def cancelled_elsewhere() -> None:
        cable.lose_answers()
        provider.sdk.Subscription.cancel_for_items(faith, {"cancel_option": "immediately"})

    cable.after_write(cancelled_elsewhere)
    assert leave(provider, ava).status_code == 503
    cable.mend()
    settle()

    assert Command.objects.get(kind="cancel").state == Command.State.FAILED
    kept = CancellationFeedback.objects.get()
    assert (kept.outcome, kept.reason) == ("partly", "Too expensive")


def test_an_answer_whose_process_died_before_anything_was_asked_is_not_done_until_it_is_asked_again(
    provider: Provider,
) -> None:
    bea = provider.subscriber("bea", FAITH)
    survey, an_hour_ago = Survey(reason="Too expensive"), clock.now() - timedelta(hours=1)
    said = feedback.keep(bea, live_holdings(bea), survey, key="leave", actor="you", brand="", now=an_hour_ago)

    settle()
    said.refresh_from_db()
    assert said.outcome == "failed"

    cancelling.cancel(bea, subscription_ids=None, survey=survey, key="leave", actor="you", now=clock.now())
    assert CancellationFeedback.objects.get().outcome == "cancelled"
    assert provider.subscription(bea).status == "non_renewing"


def test_a_cancellation_from_another_tab_while_a_pause_is_made_is_refused_and_sees_the_pause(
    provider: Provider, cable: Cable
) -> None:
    bea = provider.subscriber("bea", FAITH)
    in_another_tab: list[Any] = []

    def cancel_in_another_tab() -> None:
        in_another_tab.append(Browser(bea).post("/api/account/cancel", SURVEY))
        connection.close()

    cable.after_write(cancel_in_another_tab)
    assert Browser(bea).post("/api/account/pause?days=30").status_code == 200

    [refused] = in_another_tab
    assert (refused.status_code, refused.json()["code"]) == (409, "change_in_progress")
    assert int(refused.headers["Retry-After"]) > 0
    [plan] = Browser(bea).get("/api/account").json()["plans"]
    assert plan["hasScheduledPause"] is True
    assert provider.subscription(bea).status == "active"
    assert list(Command.objects.values_list("kind", flat=True)) == ["pause"]
