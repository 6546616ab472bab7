"""Cancellation under faults: it happens once, sends one mail, keeps the survey answers, and its undo restores all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.changes import cancellation, cancellation_survey
from billing.changes.discounts import bundle_coupons
from billing.health.checks import run_health_checks
from billing.jobs import recovery, schedule
from billing.jobs.resumes import worker
from billing.mirror import account_import
from billing.models import BundleRate, CancellationFeedback, ChurnEvent, Command, PauseSchedule
from billing.queries.subscriptions.ownership import live_holdings
from billing.survey import Survey
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider, undo_fingerprint

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
# The writes of `cancel_two`: remove a pause and a downgrade, cancel two, and add and remove the other one's coupon.
WRITES = range(1, 7)
# The writes of undoing the paused one's cancellation: remove it, pause again, add and remove two coupons.
UNDO_WRITES = range(1, 5)
SURVEY = {"reason": "Too expensive", "offer": "pause"}


@pytest.fixture
def ava(provider: Provider) -> Account:
    """Ava, with Faith & Family and its scheduled pause, yearly Gospel TV and its scheduled downgrade, and Kids."""
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    account = provider.subscriber("ava")
    for plan, unit in ((FAITH, "Monthly"), (GOSPEL, "Yearly"), (KIDS, "Monthly")):
        provider.subscribe("ava", plan, unit=unit, coupon_ids=["BUNDLE-3"])
    account_import.resync_account(account)
    browser = Browser(account)
    body = {"subscriptionId": [provider.subscription(account, FAITH).id]}
    assert browser.post("/api/account/subscriptions/multiple-pause", body).status_code == 200
    assert browser.post("/api/account/downgrade", {"planIds": [GOSPEL]}).status_code == 200
    bundle_coupons.align_account(account, now=clock.billing_now())
    OutgoingMail.objects.all().delete()
    ChurnEvent.objects.all().delete()
    return account


def canceled_ids(provider: Provider, account: Account) -> list[str]:
    """Return the ids of the subscriptions that the tests cancel."""
    return [provider.subscription(account, plan).id for plan in (FAITH, GOSPEL)]


def cancel_two(provider: Provider, account: Account) -> Any:
    """Cancel two of the three subscriptions, always with the same key."""
    body = {"subscriptionIds": canceled_ids(provider, account), **SURVEY}
    path = "/api/account/subscriptions/cancel"
    return Browser(account).post(path, body, headers={"Idempotency-Key": "leave"})


def keep_subscription(account: Account, subscription_id: str) -> Any:
    """Undo the cancellation of a subscription, always with the same key."""
    path = "/api/account/subscription/remove-scheduled-cancellation"
    headers = {"Idempotency-Key": f"stay-{subscription_id}"}
    return Browser(account).post(path, {"subscriptionId": [subscription_id]}, headers=headers)


def provider_fingerprints(provider: Provider, account: Account) -> list[dict[str, Any]]:
    """Return what an undo must restore, of all three subscriptions."""
    return [undo_fingerprint(provider.subscription(account, plan).raw_data) for plan in (FAITH, GOSPEL, KIDS)]


def expire_and_sweep() -> None:
    """Let the leases expire and run the sweep."""
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    recovery.sweep_due_work(now=clock.billing_now())


def assert_mirror_matches(provider: Provider, account: Account) -> None:
    """Assert that nothing was billed again and that no coupon differs."""
    assert len(provider.invoices(account)) == 3
    assert bundle_coupons.pending_swaps(account) == []


def assert_canceled_once(provider: Provider, account: Account) -> None:
    subscriptions = [provider.subscription(account, plan) for plan in (FAITH, GOSPEL, KIDS)]
    assert [subscription.status for subscription in subscriptions] == ["non_renewing", "non_renewing", "active"]
    assert [subscription.raw_data.get("pause_date") for subscription in subscriptions] == [None, None, None]
    assert [row.coupon_id for row in subscriptions[2].coupons] == ["BUNDLE-2"]
    assert CancellationFeedback.objects.get().outcome == "cancelled"
    assert CancellationFeedback.objects.get().reason == "Too expensive"
    counts = ChurnEvent.objects.values_list("kind", flat=True)
    assert sorted(counts) == ["cancelled"] * 2 + ["offer_refused"] * 2 + ["offer_shown"] * 2
    assert OutgoingMail.objects.count() == 1
    assert PauseSchedule.objects.get().state == PauseSchedule.State.CANCELLED
    assert_mirror_matches(provider, account)


@pytest.mark.shows("reliability-3")
@pytest.mark.parametrize("number", WRITES)
def test_a_lost_answer_of_any_write_cancels_once(
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
def test_it_reads_back_after_the_replay_window_and_the_repeated_call_finishes(
    provider: Provider, faulty_proxy: FaultyProxy, ava: Account, number: int
) -> None:
    faulty_proxy.lose_write(number)
    cancel_two(provider, ava)
    faulty_proxy.restore()
    provider.travel(minutes=31)
    expire_and_sweep()

    assert cancel_two(provider, ava).status_code == 200
    assert_canceled_once(provider, ava)


@pytest.mark.parametrize("number", UNDO_WRITES)
def test_a_lost_answer_of_any_write_still_restores_everything(
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
    """Cancel both subscriptions of a bundle of two."""
    body = {"subscriptionIds": canceled_ids(provider, account), **SURVEY}
    path = "/api/account/subscriptions/cancel"
    return Browser(account).post(path, body, headers={"Idempotency-Key": key})


@pytest.fixture
def bea(provider: Provider) -> Account:
    """Bea, with a bundle of two that renew on different days."""
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    account = provider.subscriber("bea", FAITH, coupon_ids=["BUNDLE-2"])
    provider.travel(days=1)
    provider.subscribe("bea", GOSPEL, coupon_ids=["BUNDLE-2"])
    account_import.resync_account(account)
    return account


def test_a_new_click_finishes_a_partial_cancellation_after_coupons_were_aligned(
    provider: Provider, bea: Account
) -> None:
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.order_fault("error", f"/subscriptions/{gospel}/cancel_for_items", status=429)
    answer = cancel_both(bea, provider, "one")
    assert (answer.status_code, answer.json()["code"]) == (502, "billing_partial")
    # A worker does the same after the webhook of the first cancellation.
    assert bundle_coupons.align_account(bea, now=clock.billing_now())

    assert cancel_both(bea, provider, "another").status_code == 200

    assert [provider.subscription(bea, plan).status for plan in (FAITH, GOSPEL)] == ["non_renewing"] * 2
    assert len(provider.events("subscription_cancellation_scheduled")) == 2
    assert Command.objects.get(kind="cancel").state == Command.State.SUCCEEDED
    assert set(CancellationFeedback.objects.values_list("outcome", flat=True)) == {"cancelled"}
    assert OutgoingMail.objects.filter(kind="receipt").count() == 1


def test_a_cancellation_that_only_lacks_coupons_succeeds_once_they_are_aligned(
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


def test_a_repeated_partial_cancellation_also_cancels_what_an_operator_kept_meanwhile(
    provider: Provider, bea: Account
) -> None:
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.order_fault("error", f"/subscriptions/{gospel}/cancel_for_items", status=429)
    assert cancel_both(bea, provider, "one").status_code == 502
    provider.console(bea, "keep", FAITH)
    account_import.resync_account(bea)

    assert cancel_both(bea, provider, "another").status_code == 200

    assert [provider.subscription(bea, plan).status for plan in (FAITH, GOSPEL)] == ["non_renewing"] * 2


def test_a_cancellation_that_never_began_is_planned_again_from_current_state(provider: Provider, bea: Account) -> None:
    provider.console(bea, "pause now", GOSPEL)
    account_import.resync_account(bea)
    gospel = provider.subscription(bea, GOSPEL).id
    provider.sandbox.order_fault("error", "/subscriptions/*/cancel_for_items", status=429)
    assert cancel_both(bea, provider, "one").status_code == 503
    provider.console(bea, "resume", GOSPEL)
    account_import.resync_account(bea)

    assert cancel_both(bea, provider, "one").status_code == 200

    held = provider.sdk.Subscription.retrieve(gospel).subscription
    assert held.status == "non_renewing"  # a paused subscription would have been canceled at once
    assert Command.objects.get().state == Command.State.SUCCEEDED


def test_a_cancellation_refused_during_the_sweep_is_recorded_as_failed(
    provider: Provider, faulty_proxy: FaultyProxy, ava: Account
) -> None:
    faith = provider.subscription(ava, FAITH).id

    def cancel_in_console() -> None:
        faulty_proxy.lose_answers()
        provider.sdk.Subscription.cancel_for_items(faith, {"cancel_option": "immediately"})

    faulty_proxy.run_after_write(cancel_in_console)
    assert cancel_two(provider, ava).status_code == 503
    faulty_proxy.restore()
    expire_and_sweep()

    assert Command.objects.get(kind="cancel").state == Command.State.FAILED
    feedback = CancellationFeedback.objects.get()
    assert (feedback.outcome, feedback.reason) == ("partly", "Too expensive")


def test_survey_answers_of_a_process_that_died_first_fail_until_the_retry(
    provider: Provider,
) -> None:
    bea = provider.subscriber("bea", FAITH)
    survey, an_hour_ago = Survey(reason="Too expensive"), clock.billing_now() - timedelta(hours=1)
    feedback = cancellation_survey.store_answers(
        bea, live_holdings(bea), survey, key="leave", actor="you", brand="", now=an_hour_ago
    )

    expire_and_sweep()
    feedback.refresh_from_db()
    assert feedback.outcome == "failed"

    cancellation.cancel_subscriptions(
        bea, subscription_ids=None, survey=survey, key="leave", actor="you", now=clock.billing_now()
    )
    assert CancellationFeedback.objects.get().outcome == "cancelled"
    assert provider.subscription(bea).status == "non_renewing"


@pytest.mark.shows("reliability-29")
def test_a_cancellation_in_another_tab_is_refused_while_a_pause_runs(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    bea = provider.subscriber("bea", FAITH)
    answers: list[Any] = []

    def cancel_in_another_tab() -> None:
        answers.append(Browser(bea).post("/api/account/cancel", SURVEY))
        connection.close()

    faulty_proxy.run_after_write(cancel_in_another_tab)
    assert Browser(bea).post("/api/account/pause?days=30").status_code == 200

    [refused] = answers
    assert (refused.status_code, refused.json()["code"]) == (409, "change_in_progress")
    assert int(refused.headers["Retry-After"]) > 0
    [plan] = Browser(bea).get("/api/account").json()["plans"]
    assert plan["hasScheduledPause"] is True
    assert provider.subscription(bea).status == "active"
    assert list(Command.objects.values_list("kind", flat=True)) == ["pause"]


def cancel_paused(account: Account) -> Any:
    """Cancel everything, always with the same key."""
    return Browser(account).post("/api/account/cancel", SURVEY, headers={"Idempotency-Key": "leave"})


@pytest.mark.shows("reliability-48")
def test_a_repeated_cancellation_does_not_end_a_term_that_the_night_has_charged(provider: Provider) -> None:
    bea = provider.subscriber("bea", FAITH)
    assert Browser(bea).post("/api/account/pause?days=30").status_code == 200
    resume_date = PauseSchedule.objects.get().resume_date
    provider.travel_to(resume_date - timedelta(hours=1))
    account_import.resync_account(bea)
    provider.sandbox.order_fault("drop_connection_before", "*/cancel_for_items")
    assert is_refusal(cancel_paused(bea), 503, "billing_unconfirmed")
    provider.travel(minutes=31)
    expire_and_sweep()  # the provider does not show it done
    provider.travel_to(resume_date)
    assert worker.resume_due_pauses(now=clock.billing_now())["resumed"] == 1

    assert is_refusal(cancel_paused(bea), 409, "invalid_state")
    assert provider.subscription(bea).status == "active"
    assert len(provider.invoices(bea)) == 2


@pytest.mark.shows("rule-6")
def test_a_bundle_coupon_that_is_gone_fails_no_change_and_is_reported(provider: Provider) -> None:
    BundleRate.objects.create(size=2, percentage=10, coupon_id="GONE")
    BundleRate.objects.create(size=3, percentage=15, coupon_id="BUNDLE-3")
    bea = provider.subscriber("bea", FAITH, GOSPEL, KIDS, coupon_ids=["BUNDLE-3"])
    body = {"subscriptionIds": [provider.subscription(bea, KIDS).id], **SURVEY}

    assert Browser(bea).post("/api/account/subscriptions/cancel", body).status_code == 200

    now = clock.billing_now()
    schedule.run_job("reconcile", schedule.newest_night(now), now=now)
    subscriptions = [provider.subscription(bea, plan) for plan in (FAITH, GOSPEL, KIDS)]
    assert [subscription.status for subscription in subscriptions] == ["active", "active", "non_renewing"]
    assert [row.coupon_id for row in subscriptions[0].coupons] == ["BUNDLE-3"]
    [comparison] = [check for check in run_health_checks(now=now) if check.name == "mirror_mended"]
    assert comparison.needs_somebody


@pytest.mark.shows("reliability-6")
def test_a_change_that_a_refused_swap_has_dropped_is_shown_no_more(provider: Provider) -> None:
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    bea = provider.subscriber("bea", GOSPEL, KIDS, coupon_ids=["BUNDLE-3"])
    provider.subscribe("bea", FAITH, unit="Yearly", coupon_ids=["BUNDLE-3"])
    account_import.resync_account(bea)
    assert Browser(bea).post("/api/account/downgrade", {"planIds": [FAITH]}).status_code == 200
    provider.sdk.ItemPrice.update(f"{FAITH}-USD-Monthly", {"status": "archived"})
    body = {"subscriptionIds": [provider.subscription(bea, KIDS).id], **SURVEY}

    answer = Browser(bea).post("/api/account/subscriptions/cancel", body)

    assert answer.status_code == 200
    assert not provider.subscription(bea, FAITH).has_scheduled_changes
    for read in (answer, Browser(bea).get("/api/account")):
        plans = {plan["id"]: plan for plan in read.json()["plans"]}
        assert plans[FAITH]["hasScheduledChange"] is False


@pytest.mark.shows("rule-6")
def test_a_scheduled_change_to_a_price_that_was_archived_since_is_kept(provider: Provider) -> None:
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    bea = provider.subscriber("bea", GOSPEL, KIDS, coupon_ids=["BUNDLE-3"])
    provider.subscribe("bea", FAITH, unit="Yearly", coupon_ids=["BUNDLE-3"])
    account_import.resync_account(bea)
    assert Browser(bea).post("/api/account/downgrade", {"planIds": [FAITH]}).status_code == 200
    provider.sdk.ItemPrice.update(f"{FAITH}-USD-Monthly", {"status": "archived"})
    provider.follow_clock()
    body = {"subscriptionIds": [provider.subscription(bea, KIDS).id], **SURVEY}

    assert Browser(bea).post("/api/account/subscriptions/cancel", body).status_code == 200

    assert provider.subscription(bea, FAITH).has_scheduled_changes
    provider.travel(days=367)
    assert provider.subscription(bea, FAITH).billing_period_unit == "month"
    account_import.resync_account(bea)


@pytest.mark.shows("reliability-48")
@pytest.mark.parametrize("is_told", [False, True], ids=["before the webhook", "after the webhook"])
def test_a_repeated_cancellation_does_not_end_a_term_that_customer_service_has_charged(
    provider: Provider, is_told: bool
) -> None:
    bea = provider.subscriber("bea", FAITH)
    assert Browser(bea).post("/api/account/pause?days=30").status_code == 200
    provider.travel_to(PauseSchedule.objects.get().resume_date - timedelta(days=1))
    account_import.resync_account(bea)
    provider.sandbox.order_fault("drop_connection_before", "*/cancel_for_items")
    assert is_refusal(cancel_paused(bea), 503, "billing_unconfirmed")
    provider.travel(minutes=31)
    expire_and_sweep()  # the provider does not show it done
    provider.console(bea, "resume", FAITH)
    if is_told:
        account_import.resync_account(bea)

    assert is_refusal(cancel_paused(bea), 409, "invalid_state")
    assert provider.subscription(bea).status == "active"
    assert len(provider.invoices(bea)) == 2
