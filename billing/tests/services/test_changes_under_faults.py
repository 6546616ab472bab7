"""Changes of plans under faults: one effect, the truth shown, and the same call again finishes (contract, rule 2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Account, OutgoingMail, SiteSettings
from billing import clock
from billing.errors import (
    BillingError,
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    QuoteChanged,
)
from billing.models import AccountDocument, BundleRate, Command, OfferClaim
from billing.services import add_remove, alignment, cancelling, commands, documents, offers, periods, sync
from billing.services.changing import NoChange
from billing.survey import NOTHING_SAID
from billing.tests.cable import Cable
from billing.tests.live import DECLINES, FAITH, GOSPEL, KIDS, VISA, Provider
from billing.tests.perks import sell_codes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_step")]

State = Command.State
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
# What `three_things_at_once` writes: start one, end one, and swap two coupons: off, on, the downgrade back; off, on.
WRITES = range(1, 8)


@pytest.fixture(autouse=True)
def rates(db: None) -> None:
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")


def want(account: Account, *plans: str, key: str = "one-intent", quote: str | None = None) -> dict[str, Any]:
    return add_remove.change(account, plan_ids=plans, quote=quote, key=key, actor="you", now=clock.now())


def switch(account: Account, direction: str, *, key: str = "one-intent", plans: Any = None) -> dict[str, Any]:
    return periods.switch(
        account, direction=direction, plan_ids=plans, quote=None, key=key, actor="you", now=clock.now()
    )


def coupons(provider: Provider, account: Account, plan: str) -> list[str]:
    return [row.coupon_id for row in provider.subscription(account, plan).coupons or []]


def let_the_lease_run_out() -> None:
    Command.objects.filter(state__in=Command.OPEN).update(
        next_attempt_at=timezone.now() - timedelta(seconds=1)
    )


def shown(account: Account, kind: str = AccountDocument.Kind.PLANS) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(documents.read(account, kind))
    return body


def periods_shown(account: Account) -> dict[str, str]:
    return {plan["id"]: plan["periodUnit"] for plan in shown(account)["existingPlans"]}


def a_year_with_a_downgrade(provider: Provider) -> Account:
    """Faith & Family for a year, to be monthly then, and a day later Gospel TV for a year: a bundle of two."""
    ava = provider.subscriber("ava")
    provider.subscribe("ava", FAITH, unit="Yearly", coupon_ids=["BUNDLE-2"])
    provider.travel(days=1)
    provider.subscribe("ava", GOSPEL, unit="Yearly", coupon_ids=["BUNDLE-2"])
    sync.resync_account(ava)
    switch(ava, "downgrade", key="downgrade", plans=[FAITH])
    OutgoingMail.objects.all().delete()
    return ava


def three_things_at_once(account: Account) -> dict[str, Any]:
    """Start Kids, end Gospel TV, which outlives Faith & Family's next bill: that one is at the rate of three."""
    return want(account, FAITH, KIDS)


def assert_done_once(provider: Provider, account: Account) -> None:
    started = provider.subscription(account, KIDS)
    held = provider.sdk.Subscription.list({"customer_id": {"is": "ava"}, "limit": 100}).list
    assert len(held) == 3
    assert [invoice.total for invoice in provider.invoices(account)] == [6299, 7199, 7649]
    assert started.status == "active"
    assert provider.subscription(account, GOSPEL).status == "non_renewing"
    assert provider.subscription(account, FAITH).has_scheduled_changes
    assert coupons(provider, account, FAITH) == ["BUNDLE-3"]
    assert coupons(provider, account, KIDS) == ["BUNDLE-2"]
    assert Command.objects.get(kind="add_remove_service").state == State.SUCCEEDED
    assert OutgoingMail.objects.filter(account=account).count() == 1
    assert alignment.needed(account) == []


@pytest.mark.parametrize("number", WRITES)
def test_whichever_answer_is_lost_the_change_is_made_once(
    provider: Provider, cable: Cable, number: int
) -> None:
    ava = a_year_with_a_downgrade(provider)
    cable.lose_write(number, HTML if number % 2 else b"")

    with pytest.raises(BillingUnconfirmed):
        three_things_at_once(ava)
    with pytest.raises(ChangeInProgress):
        want(ava, GOSPEL, KIDS, key="another-intent")

    cable.mend()
    let_the_lease_run_out()
    assert commands.settle_due(now=clock.now()) == {"settled": 1, "waiting": 0}
    three_things_at_once(ava)

    assert_done_once(provider, ava)


@pytest.mark.parametrize("number", WRITES)
def test_after_the_providers_window_it_looks_and_the_same_call_finishes(
    provider: Provider, cable: Cable, number: int
) -> None:
    ava = a_year_with_a_downgrade(provider)
    cable.lose_write(number)
    with pytest.raises(BillingUnconfirmed):
        three_things_at_once(ava)

    cable.mend()
    provider.travel(minutes=31)
    let_the_lease_run_out()
    commands.settle_due(now=clock.now())
    three_things_at_once(ava)

    assert_done_once(provider, ava)


@pytest.mark.parametrize("again", ["one-intent", "a-new-click"])
def test_an_upgrade_that_is_declined_half_way_shows_the_truth_and_is_finished(
    provider: Provider, cable: Cable, again: str
) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    cable.after_write(lambda: provider.add_card("ava", DECLINES))

    with pytest.raises(BillingPartial):
        switch(ava, "upgrade")
    assert periods_shown(ava) == {FAITH: "year", GOSPEL: "month"}

    provider.add_card("ava", VISA)
    switch(ava, "upgrade", key=again)

    assert periods_shown(ava) == {FAITH: "year", GOSPEL: "year"}
    assert [invoice.total for invoice in provider.invoices(ava)] == [629, 719, 6299, 7199]
    assert alignment.needed(ava) == []


def test_a_downgrade_whose_term_ends_while_it_is_in_doubt_is_found_done(
    provider: Provider, cable: Cable
) -> None:
    ava = provider.subscriber("ava")
    provider.subscribe("ava", FAITH, unit="Yearly")
    sync.resync_account(ava)
    cable.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        switch(ava, "downgrade")

    cable.mend()
    provider.travel(days=366)
    let_the_lease_run_out()
    commands.settle_due(now=clock.now())

    assert Command.objects.get(kind="downgrade").state == State.SUCCEEDED
    assert periods_shown(ava) == {FAITH: "month"}
    assert "is now billed monthly" in OutgoingMail.objects.get(kind="receipt").context["title"]


@pytest.mark.parametrize("again", ["one-intent", "a-new-click"])
def test_an_addition_that_is_declined_half_way_shows_the_truth_and_is_finished(
    provider: Provider, cable: Cable, again: str
) -> None:
    ava = provider.subscriber("ava", FAITH)
    cable.after_write(lambda: provider.add_card("ava", DECLINES))

    with pytest.raises(BillingPartial):
        want(ava, FAITH, GOSPEL, KIDS)
    assert list(periods_shown(ava)) == [FAITH, GOSPEL]

    provider.add_card("ava", VISA)
    want(ava, FAITH, GOSPEL, KIDS, key=again)

    assert list(periods_shown(ava)) == [FAITH, GOSPEL, KIDS]
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, 679, 764]
    assert [coupons(provider, ava, plan) for plan in (FAITH, GOSPEL, KIDS)] == [["BUNDLE-3"]] * 3
    assert alignment.needed(ava) == []


@pytest.mark.parametrize("aligned", [False, True])
def test_an_addition_of_which_coupons_alone_are_left_is_answered_with_its_figures(
    provider: Provider, *, aligned: bool
) -> None:
    ava = provider.subscriber("ava", FAITH)
    quote = add_remove.preview(ava, plan_ids=[FAITH, KIDS], now=clock.now()).figures.quote
    faith = provider.subscription(ava).id
    provider.sandbox.misbehave("error", f"/subscriptions/{faith}/*", method="POST", status=429)
    with pytest.raises(BillingPartial):
        want(ava, FAITH, KIDS, quote=quote)
    if aligned:
        assert alignment.align(ava, now=clock.now())

    answer = want(ava, FAITH, KIDS, quote=quote, key="a-new-click")

    assert (answer["quote"], answer["due_now"], answer["added"]) == (quote, 809, [KIDS])
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, 809]
    assert [coupons(provider, ava, plan) for plan in (FAITH, KIDS)] == [["BUNDLE-2"]] * 2


def test_an_addition_that_was_turned_away_is_shown_anew_before_it_is_made(
    provider: Provider,
) -> None:
    ava = provider.subscriber("ava", FAITH)
    quote = add_remove.preview(ava, plan_ids=[FAITH, KIDS], now=clock.now()).figures.quote
    provider.sandbox.misbehave("error", "/customers/*/subscription_for_items", status=429)
    with pytest.raises(BillingUnavailable):
        want(ava, FAITH, KIDS, quote=quote)
    BundleRate.objects.all().delete()

    with pytest.raises(QuoteChanged) as refused:
        want(ava, FAITH, KIDS, quote=quote)
    assert refused.value.extra["due_now"] == 899
    assert len(provider.invoices(ava)) == 1

    answer = want(ava, FAITH, KIDS, quote=str(refused.value.extra["quote"]))
    assert (answer["due_now"], provider.invoices(ava)[-1].total) == (899, 899)
    assert Command.objects.get().state == State.SUCCEEDED


def test_an_addition_that_the_provider_may_have_heard_of_is_asked_for_again_as_it_was(
    provider: Provider,
) -> None:
    ava = provider.subscriber("ava", FAITH)
    provider.sandbox.misbehave("error", "/customers/*/subscription_for_items", status=500)
    with pytest.raises(BillingUnconfirmed):
        want(ava, FAITH, KIDS)
    provider.travel(minutes=31)
    let_the_lease_run_out()
    commands.settle_due(now=clock.now())
    not_done = Command.objects.get()
    assert (not_done.state, not_done.error_code) == (State.FAILED, BillingUnavailable.code)

    want(ava, FAITH, KIDS)

    assert provider.subscription(ava, KIDS).id == not_done.steps[0]["subscription"]
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, 809]


def test_giving_up_what_was_declined_is_no_change(provider: Provider, cable: Cable) -> None:
    ava = provider.subscriber("ava", FAITH)
    quote = add_remove.preview(ava, plan_ids=[FAITH, GOSPEL, KIDS], now=clock.now()).figures.quote
    cable.after_write(lambda: provider.add_card("ava", DECLINES))
    with pytest.raises(BillingPartial):
        want(ava, FAITH, GOSPEL, KIDS, quote=quote)
    assert alignment.align(ava, now=clock.now())

    with pytest.raises(NoChange):
        want(ava, FAITH, GOSPEL, quote=quote, key="a-new-click")


def test_a_tab_that_shows_what_another_has_changed_is_shown_the_new_figures(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH)
    in_one_tab = add_remove.preview(ava, plan_ids=[FAITH, KIDS], now=clock.now())
    switch(ava, "upgrade", key="in another tab")

    with pytest.raises(QuoteChanged) as refused:
        want(ava, FAITH, KIDS, quote=in_one_tab.figures.quote)
    assert refused.value.extra["due_now"] == 8099
    assert len(provider.invoices(ava)) == 2

    want(ava, FAITH, KIDS, quote=str(refused.value.extra["quote"]))
    assert provider.invoices(ava)[-1].total == 8099


def test_a_change_in_another_tab_while_this_one_is_estimated_is_not_acted_over(
    provider: Provider, cable: Cable
) -> None:
    ava = provider.subscriber("ava", FAITH)

    def in_another_tab() -> None:
        want(ava, FAITH, GOSPEL, key="in another tab")
        connection.close()

    cable.after_estimate(in_another_tab)
    with pytest.raises(ChangeInProgress):
        want(ava, FAITH, KIDS)

    assert list(periods_shown(ava)) == [FAITH, GOSPEL]
    assert len(provider.invoices(ava)) == 2


def cancelled_in_another_tab(provider: Provider, account: Account) -> None:
    cancelling.cancel(
        account,
        subscription_ids=None,
        survey=NOTHING_SAID,
        key="in another tab",
        actor="you",
        now=clock.now(),
    )


def changed_by_an_operator(provider: Provider, account: Account) -> None:
    yearly = {"item_price_id": f"{FAITH}-USD-Yearly", "quantity": 1}
    provider.sdk.Subscription.update_for_items(
        provider.subscription(account).id, {"subscription_items": [yearly], "change_option": "end_of_term"}
    )
    sync.resync_account(account)


@pytest.mark.parametrize(
    ("meanwhile", "status", "is_changing"),
    [(cancelled_in_another_tab, "non_renewing", False), (changed_by_an_operator, "active", True)],
)
def test_a_free_month_is_not_given_to_a_plan_that_changed_while_it_was_estimated(
    provider: Provider,
    cable: Cable,
    meanwhile: Callable[[Provider, Account], None],
    status: str,
    is_changing: bool,
) -> None:
    sell_codes(provider)
    provider.follow_clock()
    SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})
    ava = provider.subscriber("ava", FAITH)

    def elsewhere() -> None:
        meanwhile(provider, ava)
        connection.close()

    cable.after_estimate(elsewhere)
    with pytest.raises(ChangeInProgress):
        offers.claim(ava, quote=None, key="one-intent", actor="you", now=clock.now())

    held = provider.subscription(ava)
    assert coupons(provider, ava, FAITH) == []
    assert (held.status, held.has_scheduled_changes) == (status, is_changing)
    assert not OfferClaim.objects.exists()


@pytest.mark.services
def test_a_double_click_adds_once(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH)

    def click(_: int) -> str:
        try:
            want(ava, FAITH, KIDS)
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
    assert [coupons(provider, ava, plan) for plan in (FAITH, KIDS)] == [["BUNDLE-2"]] * 2
