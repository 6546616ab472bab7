"""Changes of plans under faults: each happens once, partial states are shown, and a repeated request finishes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Account, OutgoingMail, SiteSettings
from billing import clock
from billing.changes import billing_period, cancellation, plan_selection
from billing.changes.discounts import bundle_coupons, free_month
from billing.commands import lifecycle
from billing.commands.confirmation import NoChange
from billing.errors import (
    BillingError,
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    QuoteChanged,
)
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.mirror import account_import
from billing.models import AccountDocument, BundleRate, Command, OfferClaim
from billing.survey import EMPTY_SURVEY
from billing.tests.support.coupon_codes import sell_codes
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, KIDS, VISA_CARD, Provider
from billing.tests.support.shown_documents import read_document

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

State = Command.State
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
# The writes of `change_three_plans`: start one, cancel one, swap a coupon and restore the downgrade, swap a coupon.
WRITES = range(1, 8)


@pytest.fixture(autouse=True)
def rates(db: None) -> None:
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")


def change_plans(account: Account, *plans: str, key: str = "one-intent", quote: str | None = None) -> dict[str, Any]:
    return plan_selection.change_selection(
        account, plan_ids=plans, quote=quote, key=key, actor="you", now=clock.billing_now()
    )


def switch_period(account: Account, direction: str, *, key: str = "one-intent", plans: Any = None) -> dict[str, Any]:
    return billing_period.switch_period(
        account,
        direction=direction,
        plan_ids=plans,
        quote=None,
        key=key,
        actor="you",
        now=clock.billing_now(),
    )


def provider_coupons(provider: Provider, account: Account, plan: str) -> list[str]:
    return [row.coupon_id for row in provider.subscription(account, plan).coupons or []]


def expire_lease() -> None:
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def read_periods(account: Account) -> dict[str, str]:
    return {
        plan["id"]: plan["periodUnit"] for plan in read_document(account, AccountDocument.Kind.PLANS)["existingPlans"]
    }


def make_downgrading_bundle(provider: Provider) -> Account:
    """Create yearly Faith & Family with a scheduled downgrade and, a day later, yearly Gospel TV: a bundle of two."""
    ava = provider.subscriber("ava")
    provider.subscribe("ava", FAITH, unit="Yearly", coupon_ids=["BUNDLE-2"])
    provider.travel(days=1)
    provider.subscribe("ava", GOSPEL, unit="Yearly", coupon_ids=["BUNDLE-2"])
    account_import.resync_account(ava)
    switch_period(ava, "downgrade", key="downgrade", plans=[FAITH])
    OutgoingMail.objects.all().delete()
    return ava


def change_three_plans(account: Account) -> dict[str, Any]:
    """Start Kids and cancel Gospel TV, which outlasts Faith & Family's next bill; that bill has the rate of three."""
    return change_plans(account, FAITH, KIDS)


def assert_done_once(provider: Provider, account: Account) -> None:
    started = provider.subscription(account, KIDS)
    subscriptions = provider.sdk.Subscription.list({"customer_id": {"is": "ava"}, "limit": 100}).list
    assert len(subscriptions) == 3
    assert [invoice.total for invoice in provider.invoices(account)] == [6299, 7199, 7649]
    assert started.status == "active"
    assert provider.subscription(account, GOSPEL).status == "non_renewing"
    assert provider.subscription(account, FAITH).has_scheduled_changes
    assert provider_coupons(provider, account, FAITH) == ["BUNDLE-3"]
    assert provider_coupons(provider, account, KIDS) == ["BUNDLE-2"]
    assert Command.objects.get(kind="add_remove_service").state == State.SUCCEEDED
    assert OutgoingMail.objects.filter(account=account).count() == 1
    assert bundle_coupons.pending_swaps(account) == []


@pytest.mark.shows("reliability-3")
@pytest.mark.parametrize("number", WRITES)
def test_a_lost_answer_of_any_write_changes_plans_once(
    provider: Provider, faulty_proxy: FaultyProxy, number: int
) -> None:
    ava = make_downgrading_bundle(provider)
    faulty_proxy.lose_write(number, HTML if number % 2 else b"")

    with pytest.raises(BillingUnconfirmed):
        change_three_plans(ava)
    with pytest.raises(ChangeInProgress):
        change_plans(ava, GOSPEL, KIDS, key="another-intent")

    faulty_proxy.restore()
    expire_lease()
    assert lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now()) == {
        "settled": 1,
        "waiting": 0,
    }
    change_three_plans(ava)

    assert_done_once(provider, ava)


@pytest.mark.shows("reliability-4")
@pytest.mark.parametrize("number", WRITES)
def test_it_reads_back_after_the_replay_window_and_the_repeated_call_finishes(
    provider: Provider, faulty_proxy: FaultyProxy, number: int
) -> None:
    ava = make_downgrading_bundle(provider)
    faulty_proxy.lose_write(number)
    with pytest.raises(BillingUnconfirmed):
        change_three_plans(ava)

    faulty_proxy.restore()
    provider.travel(minutes=31)
    expire_lease()
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())
    change_three_plans(ava)

    assert_done_once(provider, ava)


@pytest.mark.parametrize("again", ["one-intent", "a-new-click"])
def test_an_upgrade_declined_half_way_shows_the_partial_state_and_can_be_finished(
    provider: Provider, faulty_proxy: FaultyProxy, again: str
) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    faulty_proxy.run_after_write(lambda: provider.add_card("ava", DECLINING_CARD))

    with pytest.raises(BillingPartial):
        switch_period(ava, "upgrade")
    assert read_periods(ava) == {FAITH: "year", GOSPEL: "month"}

    provider.add_card("ava", VISA_CARD)
    switch_period(ava, "upgrade", key=again)

    assert read_periods(ava) == {FAITH: "year", GOSPEL: "year"}
    assert [invoice.total for invoice in provider.invoices(ava)] == [629, 719, 6299, 7199]
    assert bundle_coupons.pending_swaps(ava) == []


def test_an_unconfirmed_downgrade_is_found_applied_after_the_term_end(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    ava = provider.subscriber("ava")
    provider.subscribe("ava", FAITH, unit="Yearly")
    account_import.resync_account(ava)
    faulty_proxy.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        switch_period(ava, "downgrade")

    faulty_proxy.restore()
    provider.travel(days=366)
    expire_lease()
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())

    assert Command.objects.get(kind="downgrade").state == State.SUCCEEDED
    assert read_periods(ava) == {FAITH: "month"}
    assert "is now billed monthly" in OutgoingMail.objects.get(kind="receipt").context["title"]


@pytest.mark.parametrize("again", ["one-intent", "a-new-click"])
def test_an_addition_declined_half_way_shows_the_partial_state_and_can_be_finished(
    provider: Provider, faulty_proxy: FaultyProxy, again: str
) -> None:
    ava = provider.subscriber("ava", FAITH)
    faulty_proxy.run_after_write(lambda: provider.add_card("ava", DECLINING_CARD))

    with pytest.raises(BillingPartial):
        change_plans(ava, FAITH, GOSPEL, KIDS)
    assert list(read_periods(ava)) == [FAITH, GOSPEL]

    provider.add_card("ava", VISA_CARD)
    change_plans(ava, FAITH, GOSPEL, KIDS, key=again)

    assert list(read_periods(ava)) == [FAITH, GOSPEL, KIDS]
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, 679, 764]
    assert [provider_coupons(provider, ava, plan) for plan in (FAITH, GOSPEL, KIDS)] == [["BUNDLE-3"]] * 3
    assert bundle_coupons.pending_swaps(ava) == []


@pytest.mark.parametrize("aligned", [False, True])
def test_repeating_an_addition_that_only_lacks_coupons_returns_its_figures(
    provider: Provider, *, aligned: bool
) -> None:
    ava = provider.subscriber("ava", FAITH)
    quote = plan_selection.preview_selection(ava, plan_ids=[FAITH, KIDS], now=clock.billing_now()).body["quote"]
    faith = provider.subscription(ava).id
    provider.sandbox.order_fault("error", f"/subscriptions/{faith}/*", method="POST", status=429)
    with pytest.raises(BillingPartial):
        change_plans(ava, FAITH, KIDS, quote=quote)
    if aligned:
        assert bundle_coupons.align_account(ava, now=clock.billing_now())

    answer = change_plans(ava, FAITH, KIDS, quote=quote, key="a-new-click")

    assert (answer["quote"], answer["due_now"], answer["added"]) == (quote, 809, [KIDS])
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, 809]
    assert [provider_coupons(provider, ava, plan) for plan in (FAITH, KIDS)] == [["BUNDLE-2"]] * 2


def test_a_rate_limited_addition_needs_a_new_quote_when_prices_changed(
    provider: Provider,
) -> None:
    ava = provider.subscriber("ava", FAITH)
    quote = plan_selection.preview_selection(ava, plan_ids=[FAITH, KIDS], now=clock.billing_now()).body["quote"]
    provider.sandbox.order_fault("error", "/customers/*/subscription_for_items", status=429)
    with pytest.raises(BillingUnavailable):
        change_plans(ava, FAITH, KIDS, quote=quote)
    BundleRate.objects.all().delete()

    with pytest.raises(QuoteChanged) as refused:
        change_plans(ava, FAITH, KIDS, quote=quote)
    assert refused.value.extra["due_now"] == 899
    assert len(provider.invoices(ava)) == 1

    answer = change_plans(ava, FAITH, KIDS, quote=str(refused.value.extra["quote"]))
    assert (answer["due_now"], provider.invoices(ava)[-1].total) == (899, 899)
    assert Command.objects.get().state == State.SUCCEEDED


def test_an_unconfirmed_addition_is_retried_with_the_same_subscription_id(
    provider: Provider,
) -> None:
    ava = provider.subscriber("ava", FAITH)
    provider.sandbox.order_fault("error", "/customers/*/subscription_for_items", status=500)
    with pytest.raises(BillingUnconfirmed):
        change_plans(ava, FAITH, KIDS)
    provider.travel(minutes=31)
    expire_lease()
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())
    not_done = Command.objects.get()
    assert (not_done.state, not_done.error_code) == (State.FAILED, BillingUnavailable.code)

    change_plans(ava, FAITH, KIDS)

    assert provider.subscription(ava, KIDS).id == not_done.steps[0].subscription_id
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, 809]


def test_dropping_the_declined_part_is_no_change(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    ava = provider.subscriber("ava", FAITH)
    quote = plan_selection.preview_selection(ava, plan_ids=[FAITH, GOSPEL, KIDS], now=clock.billing_now()).body["quote"]
    faulty_proxy.run_after_write(lambda: provider.add_card("ava", DECLINING_CARD))
    with pytest.raises(BillingPartial):
        change_plans(ava, FAITH, GOSPEL, KIDS, quote=quote)
    assert bundle_coupons.align_account(ava, now=clock.billing_now())

    with pytest.raises(NoChange):
        change_plans(ava, FAITH, GOSPEL, quote=quote, key="a-new-click")


def test_an_outdated_tab_is_shown_the_new_figures(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH)
    preview = plan_selection.preview_selection(ava, plan_ids=[FAITH, KIDS], now=clock.billing_now())
    switch_period(ava, "upgrade", key="in another tab")

    with pytest.raises(QuoteChanged) as refused:
        change_plans(ava, FAITH, KIDS, quote=preview.body["quote"])
    assert refused.value.extra["due_now"] == 8099
    assert len(provider.invoices(ava)) == 2

    change_plans(ava, FAITH, KIDS, quote=str(refused.value.extra["quote"]))
    assert provider.invoices(ava)[-1].total == 8099


@pytest.mark.shows("reliability-29")
def test_a_change_in_another_tab_during_the_estimate_is_not_overwritten(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    ava = provider.subscriber("ava", FAITH)

    def change_in_another_tab() -> None:
        change_plans(ava, FAITH, GOSPEL, key="in another tab")
        connection.close()

    faulty_proxy.run_after_estimate(change_in_another_tab)
    with pytest.raises(ChangeInProgress):
        change_plans(ava, FAITH, KIDS)

    assert list(read_periods(ava)) == [FAITH, GOSPEL]
    assert len(provider.invoices(ava)) == 2


def cancel_in_another_tab(provider: Provider, account: Account) -> None:
    cancellation.cancel_subscriptions(
        account,
        subscription_ids=None,
        survey=EMPTY_SURVEY,
        key="in another tab",
        actor="you",
        now=clock.billing_now(),
    )


def change_in_console(provider: Provider, account: Account) -> None:
    yearly = {"item_price_id": f"{FAITH}-USD-Yearly", "quantity": 1}
    provider.sdk.Subscription.update_for_items(
        provider.subscription(account).id, {"subscription_items": [yearly], "change_option": "end_of_term"}
    )
    account_import.resync_account(account)


@pytest.mark.parametrize(
    ("meanwhile", "status", "is_changing"),
    [(cancel_in_another_tab, "non_renewing", False), (change_in_console, "active", True)],
)
def test_no_free_month_goes_to_a_plan_that_changed_during_the_estimate(
    provider: Provider,
    faulty_proxy: FaultyProxy,
    meanwhile: Callable[[Provider, Account], None],
    status: str,
    is_changing: bool,
) -> None:
    sell_codes(provider)
    provider.follow_clock()
    SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})
    ava = provider.subscriber("ava", FAITH)

    def change_meanwhile() -> None:
        meanwhile(provider, ava)
        connection.close()

    faulty_proxy.run_after_estimate(change_meanwhile)
    with pytest.raises(ChangeInProgress):
        free_month.claim_free_month(ava, quote=None, key="one-intent", actor="you", now=clock.billing_now())

    subscription = provider.subscription(ava)
    assert provider_coupons(provider, ava, FAITH) == []
    assert (subscription.status, subscription.has_scheduled_changes) == (status, is_changing)
    assert not OfferClaim.objects.exists()


def test_a_free_month_used_before_its_lost_answer_is_not_given_twice(provider: Provider) -> None:
    sell_codes(provider)
    provider.follow_clock()
    SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})
    ava = provider.subscriber("ava", FAITH)
    provider.travel(days=29, hours=12)
    provider.sandbox.order_fault("drop_connection_after", "/subscriptions/*", method="POST")
    with pytest.raises(BillingUnconfirmed):
        free_month.claim_free_month(ava, quote=None, key="one-intent", actor="you", now=clock.billing_now())

    provider.travel(days=2)
    expire_lease()
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())

    assert provider_coupons(provider, ava, FAITH) == []
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, 0]
    assert OfferClaim.objects.count() == 1
    assert Command.objects.get().state == State.SUCCEEDED


@pytest.mark.shows("reliability-28")
@pytest.mark.services
def test_a_double_click_adds_once(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH)

    def click(_: int) -> str:
        try:
            change_plans(ava, FAITH, KIDS)
        except BillingError as error:
            return error.code
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(click, range(8)))

    assert "done" in answers
    assert set(answers) <= {"done", "billing_unconfirmed", "change_in_progress"}
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, 809]
    assert [provider_coupons(provider, ava, plan) for plan in (FAITH, KIDS)] == [["BUNDLE-2"]] * 2
