"""Changes of plans: the charge equals the preview, the bundle rate is adjusted, and an undo restores the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import Account
from billing import clock
from billing.changes import billing_period, cancellation, pauses, plan_selection, resumes, undo
from billing.changes.discounts import bundle_coupons
from billing.commands.confirmation import NoChange
from billing.errors import (
    BillingPartial,
    BillingUnavailable,
    InvalidState,
    PaymentMethodRequired,
    PaymentProcessingFailed,
    QuoteChanged,
)
from billing.jobs import schedule
from billing.mirror import account_import, reconcile
from billing.models import AccountDocument, BundleRate, Command, PauseSchedule, Subscription
from billing.survey import Survey
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, KIDS, Provider, utc_time
from billing.tests.support.shown_documents import read_document
from conftest import Sandbox
from core.errors import InvalidInput

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def rates(db: None) -> None:
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")


def change_plans(account: Account, *plans: str, key: str, quote: str | None = None) -> dict[str, Any]:
    return plan_selection.change_selection(
        account, plan_ids=plans, quote=quote, key=key, actor="you", now=clock.billing_now()
    )


def switch_period(account: Account, direction: str, plans: Sequence[str] | None = None, *, key: str = "switch") -> Any:
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


def run_due_jobs() -> None:
    for job, slot in list(schedule.due_jobs(clock.billing_now())):
        schedule.run_job(job.name, slot, now=clock.billing_now())


def assert_mirror_matches(account: Account) -> None:
    """Assert that after a read of the feed the mirror equals the provider and no coupon is left to swap."""
    reconcile.read_feed(now=clock.billing_now())
    assert list(reconcile.find_differences()) == []
    assert bundle_coupons.pending_swaps(account) == []


def test_an_added_service_is_charged_at_the_bundle_rate_which_the_others_get(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    shown = plan_selection.preview_selection(ava, plan_ids=[FAITH, GOSPEL, KIDS], now=clock.billing_now())

    change_plans(ava, FAITH, GOSPEL, KIDS, key="add", quote=shown.body["quote"])

    assert shown.body["due_now"] == 764  # 899 less 15 %, half up
    assert provider.invoices(ava)[-1].total == 764
    assert [provider_coupons(provider, ava, plan) for plan in (FAITH, GOSPEL, KIDS)] == [["BUNDLE-3"]] * 3
    assert shown.body["own"]["total"] == 594 + 679 + 764
    provider.travel(days=40)
    renewed = {invoice.total for invoice in provider.invoices(ava)[-3:]}
    assert renewed == {594, 679, 764}


def test_a_removed_service_runs_to_its_term_end_and_lowers_the_rate(provider: Provider) -> None:
    jo = provider.subscriber("jo", GOSPEL, FAITH, KIDS, coupon_ids=["BUNDLE-3"])

    shown = plan_selection.preview_selection(jo, plan_ids=[FAITH, KIDS], now=clock.billing_now())
    change_plans(jo, FAITH, KIDS, key="remove")

    subscription = provider.subscription(jo, GOSPEL)
    assert (subscription.status, subscription.cancelled_at) == ("non_renewing", subscription.current_term_end)
    assert shown.body["due_now"] == 0
    assert [provider_coupons(provider, jo, plan) for plan in (FAITH, KIDS)] == [["BUNDLE-2"]] * 2
    assert shown.body["own"]["total"] == 629 + 809
    account_import.resync_account(jo)
    assert_mirror_matches(jo)


@pytest.mark.shows("money-4")
def test_a_removed_service_counts_for_bills_before_its_term_end(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, coupon_ids=["BUNDLE-2"])
    provider.travel(days=10)
    provider.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    account_import.resync_account(ava)

    change_plans(ava, FAITH, key="remove")
    assert provider_coupons(provider, ava, FAITH) == ["BUNDLE-2"]

    provider.travel_to(utc_time(provider.subscription(ava, FAITH).current_term_end) + timedelta(hours=1))
    assert provider.invoices(ava)[-1].total == 629
    run_due_jobs()

    assert provider_coupons(provider, ava, FAITH) == []
    assert_mirror_matches(ava)


def test_undoing_a_removal_restores_the_bundle_rate(provider: Provider) -> None:
    ava = provider.subscriber("ava", GOSPEL, FAITH, coupon_ids=["BUNDLE-2"])
    change_plans(ava, FAITH, key="remove")
    assert provider_coupons(provider, ava, FAITH) == []

    undo.remove_scheduled_cancellation(
        ava,
        subscription_ids=[provider.subscription(ava, GOSPEL).id],
        key="keep",
        actor="you",
        now=clock.billing_now(),
    )

    assert provider.subscription(ava, GOSPEL).status == "active"
    assert [provider_coupons(provider, ava, plan) for plan in (FAITH, GOSPEL)] == [["BUNDLE-2"]] * 2
    assert_mirror_matches(ava)


def test_an_archived_plan_can_be_kept_while_another_is_added(provider: Provider) -> None:
    gia = provider.subscriber("gia", KIDS)
    provider.sdk.Subscription.cancel_for_items(provider.subscription(gia, KIDS).id, {"cancel_option": "end_of_term"})
    provider.sdk.ItemPrice.update(f"{KIDS}-USD-Monthly", {"status": "archived"})
    account_import.resync_account(gia)

    shown = plan_selection.preview_selection(gia, plan_ids=[FAITH, KIDS], now=clock.billing_now())
    change_plans(gia, FAITH, KIDS, key="again", quote=shown.body["quote"])

    assert (shown.body["due_now"], shown.body["own"]["total"]) == (629, 629 + 809)
    provider.travel(days=32)
    assert sorted(invoice.total for invoice in provider.invoices(gia)[-2:]) == [629, 809]


def test_selecting_a_non_renewing_plan_keeps_it(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    change_plans(ava, FAITH, key="remove")

    done = change_plans(ava, FAITH, GOSPEL, key="again")

    assert done["kept_again"] == [GOSPEL]
    assert provider.subscription(ava, GOSPEL).status == "active"
    assert_mirror_matches(ava)


@pytest.mark.shows("rule-4")
def test_an_upgrade_charges_the_previewed_amount_less_credits(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    provider.travel(days=10)
    shown = billing_period.preview_switch(ava, direction="upgrade", plan_ids=[FAITH], now=clock.billing_now())

    switch_period(ava, "upgrade", [FAITH])

    charged = provider.invoices(ava)[-1]
    assert shown.body["credits"] > 0
    assert charged.amount_paid == shown.body["due_now"] == charged.total - shown.body["credits"]
    assert charged.total == 6299
    assert provider.subscription(ava, FAITH).billing_period_unit == "year"
    assert (shown.body["own"]["period_unit"], shown.body["own"]["total"]) == ("year", 6299)
    [other] = shown.body["others"]
    assert (other["period_unit"], other["total"]) == ("month", 719)
    assert shown.body["annual_savings"] == 12 * 629 - 6299
    # The credited invoice is refreshed with the answer, without an event.
    assert [difference for difference in reconcile.find_differences() if difference.kind == "invoice"] == []
    assert_mirror_matches(ava)


def test_a_downgrade_waits_for_the_term_end_and_can_be_undone(provider: Provider) -> None:
    ben = provider.subscriber("ben")
    provider.subscribe("ben", FAITH, unit="Yearly")
    account_import.resync_account(ben)

    done = switch_period(ben, "downgrade")
    assert done["is_immediate"] is False
    assert provider.subscription(ben).has_scheduled_changes
    assert Subscription.objects.get().text("scheduled_item_price_id") == f"{FAITH}-USD-Monthly"
    with pytest.raises(NoChange):
        switch_period(ben, "downgrade", key="again")

    undo.remove_scheduled_change(
        ben,
        subscription_ids=[provider.subscription(ben).id],
        key="undo",
        actor="you",
        now=clock.billing_now(),
    )
    assert not provider.subscription(ben).has_scheduled_changes

    switch_period(ben, "downgrade", key="after-all")
    term_end = utc_time(provider.subscription(ben).current_term_end)
    provider.travel_to(term_end + timedelta(days=32))

    assert provider.subscription(ben).billing_period_unit == "month"
    assert [invoice.total for invoice in provider.invoices(ben)] == [6999, 699, 699]


@pytest.mark.shows("rule-6")
def test_aligning_coupons_keeps_a_scheduled_change(provider: Provider) -> None:
    ben = provider.subscriber("ben")
    provider.subscribe("ben", FAITH, unit="Yearly")
    account_import.resync_account(ben)
    switch_period(ben, "downgrade")

    change_plans(ben, FAITH, KIDS, key="add")

    subscription = provider.subscription(ben, FAITH)
    assert subscription.has_scheduled_changes
    assert provider_coupons(provider, ben, FAITH) == ["BUNDLE-2"]
    assert_mirror_matches(ben)


def test_a_trial_switches_at_once_and_keeps_its_end(provider: Provider) -> None:
    carla = provider.subscriber("carla")
    trial_end = int(clock.billing_now().timestamp()) + 10 * 86400
    provider.subscribe("carla", KIDS, unit="Yearly", trial_end=trial_end)
    account_import.resync_account(carla)

    done = switch_period(carla, "downgrade")

    subscription = provider.subscription(carla, KIDS)
    assert done["is_immediate"] is True
    assert (subscription.status, subscription.trial_end, subscription.billing_period_unit) == (
        "in_trial",
        trial_end,
        "month",
    )
    assert provider.invoices(carla) == []


def test_a_declined_upgrade_changes_nothing(provider: Provider) -> None:
    finn = provider.subscriber("finn", FAITH)
    provider.add_card("finn", DECLINING_CARD)
    account_import.resync_account(finn)
    before = provider.subscription(finn).raw_data

    with pytest.raises(PaymentProcessingFailed):
        switch_period(finn, "upgrade")

    after = provider.subscription(finn).raw_data
    assert (after["subscription_items"], after["current_term_end"]) == (
        before["subscription_items"],
        before["current_term_end"],
    )
    assert len(provider.invoices(finn)) == 1
    assert Command.objects.get().error_code == "payment_processing_failed"


def test_upgrades_that_charge_come_before_those_that_do_not(provider: Provider) -> None:
    finn = provider.subscriber("finn")
    provider.subscribe("finn", FAITH, trial_end=int(clock.billing_now().timestamp()) + 10 * 86400)
    provider.subscribe("finn", GOSPEL)
    provider.add_card("finn", DECLINING_CARD)
    account_import.resync_account(finn)

    with pytest.raises(PaymentProcessingFailed):
        switch_period(finn, "upgrade")

    assert provider.subscription(finn, FAITH).billing_period_unit == "month"


def test_an_outdated_quote_is_refused_and_changes_nothing(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH)

    with pytest.raises(QuoteChanged) as refused:
        change_plans(ava, FAITH, KIDS, key="add", quote="what was shown yesterday")

    assert refused.value.extra["due_now"] == 809
    assert not Command.objects.exists()
    assert len(provider.invoices(ava)) == 1


@pytest.mark.parametrize(
    ("plans", "error"),
    [
        ([], InvalidInput),
        (["nonsense"], InvalidInput),
        (["Minno", "Minno-Plan"], InvalidInput),
        (["Minno"], InvalidInput),
        ([FAITH], NoChange),
    ],
)
def test_an_invalid_selection_is_refused(provider: Provider, plans: list[str], error: type[Exception]) -> None:
    ava = provider.subscriber("ava", FAITH)

    with pytest.raises(error):
        change_plans(ava, *plans, key="odd")


def test_no_plan_starts_without_a_payment_method(provider: Provider) -> None:
    ivy = provider.subscriber("ivy", card=None)

    with pytest.raises(PaymentMethodRequired):
        change_plans(ivy, FAITH, key="start")


def test_a_paused_plan_ends_at_once_and_a_scheduled_pause_is_dropped(
    provider: Provider,
) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, KIDS, coupon_ids=["BUNDLE-3"])
    pauses.schedule_pause(ava, subscription_ids=None, days=30, key="pause", actor="you", now=clock.billing_now())
    pauses.remove_scheduled_pause(
        ava,
        subscription_ids=[provider.subscription(ava, KIDS).id],
        key="k",
        actor="you",
        now=clock.billing_now(),
    )
    provider.sdk.Subscription.remove_scheduled_pause(provider.subscription(ava, FAITH).id)
    provider.sdk.Subscription.pause(provider.subscription(ava, FAITH).id, {"pause_option": "immediately"})
    account_import.resync_account(ava)

    change_plans(ava, KIDS, key="remove")

    assert provider.subscription(ava, FAITH).status == "cancelled"
    gospel = provider.subscription(ava, GOSPEL)
    assert (gospel.status, gospel.pause_date) == ("non_renewing", None)
    assert not PauseSchedule.objects.filter(state__in=PauseSchedule.OPEN).exists()
    assert provider_coupons(provider, ava, KIDS) == []
    assert_mirror_matches(ava)


@pytest.mark.shows("rule-6")
def test_a_resumed_subscription_gets_its_current_coupon(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    provider.sdk.Subscription.pause(provider.subscription(ava, FAITH).id, {"pause_option": "immediately"})
    account_import.resync_account(ava)
    change_plans(ava, FAITH, key="remove")
    provider.travel(days=40)
    run_due_jobs()
    assert provider_coupons(provider, ava, FAITH) == ["BUNDLE-2"]

    resumes.resume_subscriptions(
        ava, subscription_ids=None, quote=None, key="resume", actor="you", now=clock.billing_now()
    )

    assert provider_coupons(provider, ava, FAITH) == []
    assert_mirror_matches(ava)


def test_a_new_bundle_rate_is_applied_to_every_bundle(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    provider.sdk.Coupon.create_for_items(
        {
            "id": "BUNDLE-2-20",
            "name": "BUNDLE-2-20",
            "discount_type": "percentage",
            "discount_percentage": 20,
            "duration_type": "forever",
            "apply_on": "each_specified_item",
            "item_constraints": [{"item_type": "plan", "constraint": "all"}],
        }
    )
    account_import.sync_catalog()
    BundleRate.objects.filter(size=2).update(coupon_id="BUNDLE-2-20", percentage=20)

    bundle_coupons.request_alignment()
    run_due_jobs()

    assert [provider_coupons(provider, ava, plan) for plan in (FAITH, GOSPEL)] == [["BUNDLE-2-20"]] * 2


def test_another_plan_of_a_held_service_cannot_be_added(provider: Provider) -> None:
    ava = provider.subscriber("ava", KIDS)
    assert provider.subscription(ava, KIDS).status == "active"
    with pytest.raises((InvalidState, InvalidInput)):
        change_plans(ava, "Minno", key="legacy")


def test_an_unpaid_change_that_the_site_allows_is_applied_and_shown_due(
    launch_sandbox: Callable[..., Sandbox], settings: Settings
) -> None:
    sandbox = launch_sandbox(SANDBOX_UNPAID_CHANGES="1")
    settings.CHARGEBEE_SITE, settings.CHARGEBEE_API_KEY = sandbox.site, sandbox.api_key
    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    sandbox.start_afresh()
    provider = Provider(sandbox=sandbox, sdk=sandbox.client())
    provider.open_shop()
    finn = provider.subscriber("finn", FAITH)
    provider.add_card("finn", DECLINING_CARD)
    account_import.resync_account(finn)

    done = switch_period(finn, "upgrade")

    unpaid = provider.invoices(finn)[-1]
    assert (str(unpaid.status), unpaid.amount_due) == ("payment_due", done["due_now"])
    [plan] = read_document(finn, AccountDocument.Kind.PLANS)["existingPlans"]
    assert (plan["id"], plan["periodUnit"]) == (FAITH, "year")
    assert read_document(finn, AccountDocument.Kind.ACCOUNT)["hasPaymentFailure"] is True


@pytest.mark.shows("reliability-49")
def test_a_plan_that_customer_service_has_just_resumed_ends_with_the_paid_term(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule_pause(alice, subscription_ids=None, days=30, key="pause", actor="you", now=clock.billing_now())
    provider.travel(days=40)
    account_import.resync_account(alice)
    # No webhook has told the portal yet.
    provider.console(alice, "resume", FAITH)
    paid_until = provider.subscription(alice).current_term_end

    cancellation.cancel_subscriptions(
        alice, subscription_ids=None, survey=Survey(), key="cancel", actor="you", now=clock.billing_now()
    )

    ending = provider.subscription(alice)
    assert (ending.status, ending.cancelled_at) == ("non_renewing", paid_until)


@pytest.mark.shows("reliability-49")
def test_a_plan_that_customer_service_has_just_started_is_not_started_again(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.subscribe("alice", GOSPEL)

    with pytest.raises(NoChange):
        change_plans(alice, FAITH, GOSPEL, key="add")

    assert len(provider.raw_subscriptions("alice")) == 2
    assert {row.plan.id for row in Subscription.objects.filter(status="active")} == {FAITH, GOSPEL}


def test_a_change_that_must_read_first_is_refused_while_the_provider_is_down(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sandbox.order_fault("error", "/subscriptions", status=500, api_error_code="internal_error", count=3)

    with pytest.raises(BillingUnavailable):
        change_plans(alice, FAITH, GOSPEL, key="add")

    assert Command.objects.count() == 0
    assert len(provider.raw_subscriptions("alice")) == 1


@pytest.mark.shows("reliability-49")
@pytest.mark.parametrize("is_told", [False, True], ids=["before the webhook", "after the webhook"])
def test_a_cancellation_that_is_finished_does_not_end_a_term_that_customer_service_has_charged(
    provider: Provider, is_told: bool
) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    pauses.schedule_pause(alice, subscription_ids=None, days=30, key="pause", actor="you", now=clock.billing_now())
    provider.travel(days=40)
    account_import.resync_account(alice)

    def cancel_all(key: str) -> None:
        cancellation.cancel_subscriptions(
            alice, subscription_ids=None, survey=Survey(), key=key, actor="you", now=clock.billing_now()
        )

    gospel = provider.subscription(alice, GOSPEL).id
    provider.sandbox.order_fault("error", f"/subscriptions/{gospel}/cancel_for_items", status=429)
    with pytest.raises(BillingPartial):
        cancel_all("cancel")
    provider.console(alice, "resume", GOSPEL)
    if is_told:
        account_import.resync_account(alice)
    paid_until = provider.subscription(alice, GOSPEL).current_term_end

    cancel_all("cancel again")

    ending = provider.subscription(alice, GOSPEL)
    assert (ending.status, ending.cancelled_at) == ("non_renewing", paid_until)


@pytest.mark.shows("reliability-49")
def test_a_selection_that_is_finished_does_not_start_what_customer_service_has_started(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sandbox.refuse_requests("/customers/alice/subscription_for_items", after=1)
    with pytest.raises(BillingPartial):
        change_plans(alice, FAITH, GOSPEL, KIDS, key="add")
    provider.subscribe("alice", KIDS)

    with pytest.raises(NoChange):
        change_plans(alice, FAITH, GOSPEL, KIDS, key="add again")

    assert len(provider.raw_subscriptions("alice")) == 3
