"""Cancelling and keeping under faults: done once, said once, what was said kept, and everything as it was after."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.changes import bundle_coupons, cancellation, cancellation_survey
from billing.jobs import recovery
from billing.mirror import account_import
from billing.models import BundleRate, CancellationFeedback, ChurnEvent, Command, PauseSchedule
from billing.queries.ownership import live_holdings
from billing.survey import Survey
from billing.tests.api.browser import Browser
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider, undo_fingerprint

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
# What `cancel_two` writes: a pause and a downgrade set aside, two ends, and the coupons of the one that stays: off, on.
WRITES = range(1, 7)
# What keeping it writes for the one with the pause: its end taken back, its pause again, two coupons off and on.
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
    account_import.resync_account(account)
    browser = Browser(account)
    named = {"subscriptionId": [provider.subscription(account, FAITH).id]}
    assert browser.post("/api/account/subscriptions/multiple-pause", named).status_code == 200
    assert browser.post("/api/account/downgrade", {"planIds": [GOSPEL]}).status_code == 200
    bundle_coupons.align_account(account, now=clock.billing_now())
    OutgoingMail.objects.all().delete()
    ChurnEvent.objects.all().delete()
    return account


def canceled_ids(provider: Provider, account: Account) -> list[str]:
    """The subscriptions that are cancelled."""
    return [provider.subscription(account, plan).id for plan in (FAITH, GOSPEL)]


def cancel_two(provider: Provider, account: Account) -> Any:
    """Cancel two of the three, always with the same key."""
    body = {"subscriptionIds": canceled_ids(provider, account), **SURVEY}
    path = "/api/account/subscriptions/cancel"
    return Browser(account).post(path, body, headers={"Idempotency-Key": "leave"})


def keep_subscription(account: Account, subscription_id: str) -> Any:
    """Keep one of them, always with the same key."""
    path = "/api/account/subscription/remove-scheduled-cancellation"
    headers = {"Idempotency-Key": f"stay-{subscription_id}"}
    return Browser(account).post(path, {"subscriptionId": [subscription_id]}, headers=headers)


def provider_fingerprints(provider: Provider, account: Account) -> list[dict[str, Any]]:
    """What must be as it was, of all three."""
    return [undo_fingerprint(provider.subscription(account, plan).raw_data) for plan in (FAITH, GOSPEL, KIDS)]


def expire_and_sweep() -> None:
    """Let the leases run out and the sweep work."""
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    recovery.sweep_due_work(now=clock.billing_now())


def assert_mirror_matches(provider: Provider, account: Account) -> None:
    """Nobody was billed again, and the portal says what the provider holds."""
    assert len(provider.invoices(account)) == 3
    assert bundle_coupons.pending_swaps(account) == []


def assert_canceled_once(provider: Provider, account: Account) -> None:
    held = [provider.subscription(account, plan) for plan in (FAITH, GOSPEL, KIDS)]
    assert [subscription.status for subscription in held] == ["non_renewing", "non_renewing", "active"]
    assert [subscription.raw_data.get("pause_date") for subscription in held] == [None, None, None]
    assert [row.coupon_id for row in held[2].coupons] == ["BUNDLE-2"]
    assert CancellationFeedback.objects.get().outcome == "cancelled"
    assert CancellationFeedback.objects.get().reason == "Too expensive"
    counts = ChurnEvent.objects.values_list("kind", flat=True)
    assert sorted(counts) == ["cancelled"] * 2 + ["offer_refused"] * 2 + ["offer_shown"] * 2
    assert OutgoingMail.objects.count() == 1
    assert PauseSchedule.objects.get().state == PauseSchedule.State.CANCELLED
    assert_mirror_matches(provider, account)


@pytest.mark.shows("reliability-3")
@pytest.mark.parametrize("number", WRITES)
def test_whichever_answer_is_lost_it_is_cancelled_once(
    provider: Provider, faulty_proxy: FaultyProxy, ava: Account, number: int
) -> None:
    faulty_proxy.lose_write(number, HTML if number % 2 else b"")
    answer = cancel_two(provider, ava)
    assert (answer.status_code, answer.json()["code"]) == (503, "billing_unconfirmed")
    assert CancellationFeedback.objects.get().outcome == "requested"

    faulty_proxy.restore()
    expire_and_sweep()

    assert cancel_two(provider, ava).status_code == 200
    assert_canceled_once(provider, ava)


@pytest.mark.shows("reliability-4")
@pytest.mark.parametrize("number", WRITES)
def test_after_the_providers_window_it_looks_and_the_same_call_finishes(
    provider: Provider, faulty_proxy: FaultyProxy, ava: Account, number: int
) -> None:
    faulty_proxy.lose_write(number)
    cancel_two(provider, ava)
    faulty_proxy.restore()
    provider.travel(minutes=31)
    expire_and_sweep()

    assert cancel_two(provider, ava).status_code == 200
    assert_canceled_once(provider, ava)


@pytest.mark.parametrize("number", WRITES_BACK)
def test_whichever_answer_is_lost_everything_is_as_it_was(
    provider: Provider, faulty_proxy: FaultyProxy, ava: Account, number: int
) -> None:
    before = provider_fingerprints(provider, ava)
    cancel_two(provider, ava)
    faith, gospel = canceled_ids(provider, ava)
    assert keep_subscription(ava, gospel).status_code == 200
    faulty_proxy.lose_write(number)
    assert keep_subscription(ava, faith).status_code == 503

    faulty_proxy.restore()
    expire_and_sweep()

    assert keep_subscription(ava, faith).status_code == 200
    assert provider_fingerprints(provider, ava) == before
    assert ChurnEvent.objects.filter(kind="kept").count() == 2
    assert not ChurnEvent.objects.filter(kind="pause_scheduled").exists()
    assert_mirror_matches(provider, ava)


def cancel_both(account: Account, provider: Provider, key: str) -> Any:
    """Cancel both of a bundle of two."""
    body = {"subscriptionIds": canceled_ids(provider, account), **SURVEY}
    path = "/api/account/subscriptions/cancel"
    return Browser(account).post(path, body, headers={"Idempotency-Key": key})


@pytest.fixture
def bea(provider: Provider) -> Account:
    """Faith & Family and a day later Gospel TV: a bundle of two, and each bills on a day of its own."""
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    account = provider.subscriber("bea", FAITH, coupon_ids=["BUNDLE-2"])
    provider.travel(days=1)
    provider.subscribe("bea", GOSPEL, coupon_ids=["BUNDLE-2"])
    account_import.resync_account(account)
    return account


def test_what_was_left_half_done_is_finished_by_a_new_click_after_the_coupons_were_put_right(
    provider: Provider, bea: Account
) -> None:
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.order_fault("error", f"/subscriptions/{gospel}/cancel_for_items", status=429)
    answer = cancel_both(bea, provider, "one")
    assert (answer.status_code, answer.json()["code"]) == (502, "billing_partial")
    assert bundle_coupons.align_account(
        bea, now=clock.billing_now()
    )  # as the worker does that a webhook told of the first

    assert cancel_both(bea, provider, "another").status_code == 200

    assert [provider.subscription(bea, plan).status for plan in (FAITH, GOSPEL)] == ["non_renewing"] * 2
    assert len(provider.events("subscription_cancellation_scheduled")) == 2
    assert Command.objects.get(kind="cancel").state == Command.State.SUCCEEDED
    assert set(CancellationFeedback.objects.values_list("outcome", flat=True)) == {"cancelled"}
    assert OutgoingMail.objects.filter(kind="receipt").count() == 1


def test_a_cancellation_of_which_coupons_alone_were_left_is_done_once_they_were_put_right(
    provider: Provider, bea: Account
) -> None:
    faith, gospel = canceled_ids(provider, bea)
    path, body = "/api/account/subscriptions/cancel", {"subscriptionIds": [faith], **SURVEY}
    provider.sandbox.order_fault("error", f"/subscriptions/{gospel}/*", method="POST", status=429)
    assert Browser(bea).post(path, body).status_code == 502
    assert bundle_coupons.align_account(bea, now=clock.billing_now())

    assert Browser(bea).post(path, body).status_code == 200

    assert [provider.subscription(bea, plan).status for plan in (FAITH, GOSPEL)] == ["non_renewing", "active"]
    assert set(CancellationFeedback.objects.values_list("outcome", flat=True)) == {"cancelled"}


def test_what_was_taken_back_elsewhere_since_is_ended_too_when_a_half_done_cancellation_is_repeated(
    provider: Provider, bea: Account
) -> None:
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.order_fault("error", f"/subscriptions/{gospel}/cancel_for_items", status=429)
    assert cancel_both(bea, provider, "one").status_code == 502
    provider.console(bea, "keep", FAITH)
    account_import.resync_account(bea)

    assert cancel_both(bea, provider, "another").status_code == 200

    assert [provider.subscription(bea, plan).status for plan in (FAITH, GOSPEL)] == ["non_renewing"] * 2


def test_what_was_not_begun_is_planned_anew_on_what_there_is_then(provider: Provider, bea: Account) -> None:
    provider.console(bea, "pause now", GOSPEL)
    account_import.resync_account(bea)
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.order_fault("error", "/subscriptions/*/cancel_for_items", status=429)
    assert cancel_both(bea, provider, "one").status_code == 503
    provider.console(bea, "resume", GOSPEL)
    account_import.resync_account(bea)

    assert cancel_both(bea, provider, "one").status_code == 200

    held = provider.sdk.Subscription.retrieve(gospel).subscription
    assert held.status == "non_renewing"  # a paused one would have ended at once
    assert Command.objects.get().state == Command.State.SUCCEEDED


def test_what_the_sweep_finds_refused_is_said_to_be_not_done(
    provider: Provider, faulty_proxy: FaultyProxy, ava: Account
) -> None:
    faith = provider.subscription(ava, FAITH).id

    def cancelled_elsewhere() -> None:
        faulty_proxy.lose_answers()
        provider.sdk.Subscription.cancel_for_items(faith, {"cancel_option": "immediately"})

    faulty_proxy.run_after_write(cancelled_elsewhere)
    assert cancel_two(provider, ava).status_code == 503
    faulty_proxy.restore()
    expire_and_sweep()

    assert Command.objects.get(kind="cancel").state == Command.State.FAILED
    kept = CancellationFeedback.objects.get()
    assert (kept.outcome, kept.reason) == ("partly", "Too expensive")


def test_an_answer_whose_process_died_before_anything_was_asked_is_not_done_until_it_is_asked_again(
    provider: Provider,
) -> None:
    bea = provider.subscriber("bea", FAITH)
    survey, an_hour_ago = Survey(reason="Too expensive"), clock.billing_now() - timedelta(hours=1)
    said = cancellation_survey.store_answers(
        bea, live_holdings(bea), survey, key="leave", actor="you", brand="", now=an_hour_ago
    )

    expire_and_sweep()
    said.refresh_from_db()
    assert said.outcome == "failed"

    cancellation.cancel_subscriptions(
        bea, subscription_ids=None, survey=survey, key="leave", actor="you", now=clock.billing_now()
    )
    assert CancellationFeedback.objects.get().outcome == "cancelled"
    assert provider.subscription(bea).status == "non_renewing"


@pytest.mark.shows("reliability-29")
def test_a_cancellation_from_another_tab_while_a_pause_is_made_is_refused_and_sees_the_pause(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    bea = provider.subscriber("bea", FAITH)
    in_another_tab: list[Any] = []

    def cancel_in_another_tab() -> None:
        in_another_tab.append(Browser(bea).post("/api/account/cancel", SURVEY))
        connection.close()

    faulty_proxy.run_after_write(cancel_in_another_tab)
    assert Browser(bea).post("/api/account/pause?days=30").status_code == 200

    [refused] = in_another_tab
    assert (refused.status_code, refused.json()["code"]) == (409, "change_in_progress")
    assert int(refused.headers["Retry-After"]) > 0
    [plan] = Browser(bea).get("/api/account").json()["plans"]
    assert plan["hasScheduledPause"] is True
    assert provider.subscription(bea).status == "active"
    assert list(Command.objects.values_list("kind", flat=True)) == ["pause"]
