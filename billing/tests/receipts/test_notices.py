"""Notices before an automatic charge: sent once, with the amount, and only while true (docs/rules.md, rule 16)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from accounts.models import Account, OutgoingMail, SiteSettings
from accounts.tests.sign_in.sign_in_client import send_due_mail
from billing import clock
from billing.changes import billing_period, undo
from billing.jobs import schedule as job_schedule
from billing.mirror import account_import
from billing.models import PauseSchedule, Subscription
from billing.receipts import notices
from billing.receipts.phrases import long_date
from billing.tests.api.browser import Browser
from billing.tests.changes.test_pauses import pause_plans, run_due_jobs
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider

pytestmark = pytest.mark.django_db(transaction=True)

UNREACHABLE_ENDPOINT = "http://127.0.0.1:1/api/v2"


def make_trial(provider: Provider) -> Account:
    return provider.subscriber("alice", KIDS, trial_end=_timestamp_in(days=20))


def make_yearly(provider: Provider) -> Account:
    alice = provider.subscriber("alice")
    provider.subscribe("alice", FAITH, unit="Yearly")
    account_import.resync_account(alice)
    return alice


def make_paused(provider: Provider) -> Account:
    alice = provider.subscriber("alice", GOSPEL)
    pause_plans(alice)
    provider.travel_to(PauseSchedule.objects.get().pause_date + timedelta(hours=1))
    run_due_jobs()
    return alice


def _timestamp_in(**duration: float) -> int:
    return int((clock.billing_now() + timedelta(**duration)).timestamp())


def next_bill_at() -> datetime:
    """Return when the only subscription bills next."""
    schedule = PauseSchedule.objects.first()
    if schedule is not None:
        return schedule.resume_date
    held = Subscription.objects.get()
    at = held.trial_end if held.status == "in_trial" else held.next_billing_at
    assert at is not None
    return at


def run_notices_before(provider: Provider, night: datetime) -> int:
    """Run the notices job of the newest night before an instant; return how many it queued."""
    provider.travel_to(job_schedule.newest_night(night) + timedelta(minutes=1))
    return notices.queue_due_notices(now=clock.billing_now())["notices"]


def notice_mails(state: str) -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(kind="notice", state=state))


@pytest.mark.shows("rule-16")
@pytest.mark.parametrize(
    ("make_account", "days", "amount", "subject"),
    [
        (make_paused, 3, "$7.99", "Gospel TV resumes on {}"),
        (make_trial, 7, "$8.99", "Your Kids trial ends on {}"),
        (make_yearly, 30, "$69.99", "Faith & Family renews on {}"),
    ],
)
def test_one_notice_with_amount_and_cancel_link_is_sent_days_before(
    provider: Provider, make_account: Callable[[Provider], Account], days: int, amount: str, subject: str
) -> None:
    alice = make_account(provider)
    at = next_bill_at()

    assert run_notices_before(provider, at - timedelta(days=days + 1)) == 0
    assert run_notices_before(provider, at - timedelta(days=days)) == 1
    send_due_mail()
    assert run_notices_before(provider, at - timedelta(days=days - 1)) == 0
    assert notices.queue_due_notices(now=clock.billing_now()) == {"notices": 0}

    (sent,) = [message for message in mail.outbox if message.subject == subject.format(long_date(at))]
    subscription = Subscription.objects.get(customer__account=alice)
    assert amount in sent.body
    assert "Visa ending in 1111" in sent.body
    assert f"/cancelAll?ids={subscription.provider_id}" in sent.body
    provider.travel_to(at + timedelta(days=1))
    run_due_jobs()
    assert f"{provider.invoices(alice)[-1].total / 100:.2f}" == amount.removeprefix("$")


def make_two_paused(provider: Provider) -> Account:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    pause_plans(alice)
    provider.travel_to(PauseSchedule.objects.earliest("pk").pause_date + timedelta(hours=1))
    run_due_jobs()
    return alice


def resume_notices() -> list[Any]:
    send_due_mail()
    return [message for message in mail.outbox if " resume" in message.subject]


@pytest.mark.shows("rule-16")
def test_pauses_that_end_on_the_same_day_have_one_notice(provider: Provider) -> None:
    make_two_paused(provider)
    at = next_bill_at()

    assert run_notices_before(provider, at - timedelta(days=3)) == 1
    (sent,) = resume_notices()
    assert run_notices_before(provider, at - timedelta(days=2)) == 0
    assert len(resume_notices()) == 1

    assert sent.subject == f"Faith & Family and Gospel TV resume on {long_date(at)}"
    words = " ".join(sent.body.split())
    assert "we'll charge $6.99 for Faith & Family and $7.99 for Gospel TV that day" in words
    assert "You can resume sooner, or cancel: they end immediately, and you won't be charged." in words
    for subscription in Subscription.objects.all():
        assert f"/cancelAll?ids={subscription.provider_id}" in sent.body


@pytest.mark.shows("rule-2", "rule-16")
@pytest.mark.parametrize("cents", [100, 1000])
def test_a_joint_notice_counts_credits_once(provider: Provider, cents: int) -> None:
    alice = make_two_paused(provider)
    provider.sdk.PromotionalCredit.add({"customer_id": "alice", "amount": cents, "description": "Sorry"})
    account_import.resync_account(alice)
    at, before = next_bill_at(), {invoice.id for invoice in provider.invoices(alice)}
    run_notices_before(provider, at - timedelta(days=3))
    (sent,) = resume_notices()
    told = re.findall(r"\$(\d+\.\d\d)", sent.body.partition("we'll charge")[2].partition("that day")[0])

    provider.travel_to(at + timedelta(days=1))
    run_due_jobs()

    charged = [invoice.amount_paid for invoice in provider.invoices(alice) if invoice.id not in before]
    assert sum(charged) == 699 + 799 - cents
    assert sorted(told) == sorted(f"{amount / 100:.2f}" for amount in charged if amount)


@pytest.mark.shows("money-3", "rule-16")
def test_a_joint_notice_counts_credits_for_no_bill_in_another_currency(provider: Provider) -> None:
    euros: dict[str, Any] = {"id": "gtv-eur", "name": "gtv-eur", "item_id": GOSPEL, "pricing_model": "flat_fee"}
    provider.sdk.ItemPrice.create({**euros, "price": 599, "currency_code": "EUR", "period": 1, "period_unit": "month"})
    alice = provider.subscriber("alice", FAITH)
    items = [{"item_price_id": "gtv-eur", "quantity": 1}]
    provider.sdk.Subscription.create_with_items("alice", {"subscription_items": items})
    provider.sdk.PromotionalCredit.add({"customer_id": "alice", "amount": 1000, "description": "Sorry"})
    account_import.sync_catalog()
    account_import.resync_account(alice)
    pause_plans(alice)
    provider.travel_to(PauseSchedule.objects.latest("pause_date").pause_date + timedelta(hours=1))
    run_due_jobs()
    at, before = next_bill_at(), {invoice.id for invoice in provider.invoices(alice)}
    run_notices_before(provider, at - timedelta(days=3))
    (sent,) = resume_notices()
    assert "5.99 EUR" in sent.body

    provider.travel_to(at + timedelta(days=1))
    run_due_jobs()

    charged = [invoice for invoice in provider.invoices(alice) if invoice.id not in before]
    assert {invoice.currency_code: invoice.amount_paid for invoice in charged} == {"USD": 0, "EUR": 599}


@pytest.mark.shows("rule-16")
@pytest.mark.parametrize(("gone", "left"), [(FAITH, "Gospel TV"), (GOSPEL, "Faith & Family")])
def test_a_joint_notice_leaves_out_what_ended_meanwhile(provider: Provider, gone: str, left: str) -> None:
    alice = make_two_paused(provider)
    at = next_bill_at()
    run_notices_before(provider, at - timedelta(days=3))
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice, gone).id, {})

    (sent,) = resume_notices()
    assert sent.subject == f"{left} resumes on {long_date(at)}"
    assert run_notices_before(provider, at - timedelta(days=2)) == 0
    assert len(resume_notices()) == 1


@pytest.mark.shows("rule-16")
def test_operators_set_how_many_days_before(provider: Provider) -> None:
    make_trial(provider)
    SiteSettings.objects.update_or_create(pk=1, defaults={"trial_notice_days": 14})

    assert run_notices_before(provider, next_bill_at() - timedelta(days=14)) == 1


@pytest.mark.shows("rule-16", "rule-19")
@pytest.mark.parametrize(("is_canceled", "what"), [(False, "If you cancel, it ends"), (True, "It ends")])
def test_a_renewal_under_contract_promises_no_end_before_its_bill(
    provider: Provider, *, is_canceled: bool, what: str
) -> None:
    alice = provider.subscriber("alice")
    contract = {"billing_cycles": 2, "contract_term": {"action_at_term_end": "renew"}}
    provider.subscribe("alice", FAITH, unit="Yearly", **contract)
    account_import.resync_account(alice)
    if is_canceled:
        assert Browser(alice).post("/api/account/cancel").status_code == 200
    held, at = Subscription.objects.get(), next_bill_at()
    assert held.contract_end is not None
    assert held.contract_end > at
    assert run_notices_before(provider, at - timedelta(days=30)) == 1
    send_due_mail()
    (sent,) = [message for message in mail.outbox if long_date(at) in message.subject]
    end = long_date(held.contract_end)
    assert f"It has a contract until {end}. {what} then, and we bill you until then." in sent.body
    assert "You can change or cancel" not in sent.body
    assert (f"/cancelAll?ids={held.provider_id}" in sent.body) is not is_canceled


def test_the_next_years_renewal_gets_another_notice(provider: Provider) -> None:
    make_yearly(provider)
    first = next_bill_at()
    run_notices_before(provider, first - timedelta(days=10))
    provider.travel_to(first + timedelta(hours=1))
    run_due_jobs()

    assert run_notices_before(provider, next_bill_at() - timedelta(days=30)) == 1
    assert len({row.dedupe_key for row in OutgoingMail.objects.filter(kind="notice")}) == 2


def cancel_at_provider(provider: Provider, alice: Account) -> None:
    provider.sdk.Subscription.cancel_for_items(_subscription_id(alice), {"cancel_option": "end_of_term"})


def switch_to_monthly(provider: Provider, alice: Account) -> None:
    change: dict[str, Any] = {"direction": "downgrade", "plan_ids": None, "quote": None}
    billing_period.switch_period(alice, **change, key="down", actor="you", now=clock.billing_now())


def schedule_pause(provider: Provider, alice: Account) -> None:
    pause_plans(alice)


def undo_scheduled(provider: Provider, alice: Account) -> None:
    act: dict[str, Any] = {
        "subscription_ids": [_subscription_id(alice)],
        "key": "back",
        "actor": "you",
        "now": clock.billing_now(),
    }
    if Subscription.objects.get().has_scheduled_changes:
        undo.remove_scheduled_change(alice, **act)
    else:
        account_import.resync_account(alice)
        undo.remove_scheduled_cancellation(alice, **act)


def _subscription_id(account: Account) -> str:
    return Subscription.objects.get(customer__account=account).provider_id


@pytest.mark.parametrize("change", [cancel_at_provider, switch_to_monthly, schedule_pause])
def test_a_notice_that_became_untrue_is_dropped(
    provider: Provider, change: Callable[[Provider, Account], None]
) -> None:
    alice = make_yearly(provider)
    assert run_notices_before(provider, next_bill_at() - timedelta(days=30)) == 1

    change(provider, alice)
    send_due_mail()

    assert len(notice_mails("dropped")) == 1
    assert [message.subject for message in mail.outbox if "renews" in message.subject] == []
    assert notices.queue_due_notices(now=clock.billing_now()) == {"notices": 0}


@pytest.mark.parametrize("change", [cancel_at_provider, switch_to_monthly])
def test_a_notice_that_becomes_true_again_is_sent(
    provider: Provider, change: Callable[[Provider, Account], None]
) -> None:
    alice = make_yearly(provider)
    run_notices_before(provider, next_bill_at() - timedelta(days=30))
    change(provider, alice)
    send_due_mail()

    undo_scheduled(provider, alice)
    assert notices.queue_due_notices(now=clock.billing_now()) == {"notices": 1}
    send_due_mail()

    assert len(notice_mails("sent")) == len([message for message in mail.outbox if "renews" in message.subject]) == 1


def test_a_trial_extended_in_the_console_gets_a_notice_for_its_new_end(provider: Provider) -> None:
    alice = make_trial(provider)
    end = next_bill_at()
    assert run_notices_before(provider, end - timedelta(days=7)) == 1

    later = int((end + timedelta(days=30)).timestamp())
    provider.sdk.Subscription.update_for_items(_subscription_id(alice), {"trial_end": later})
    send_due_mail()

    assert len(notice_mails("dropped")) == 1
    assert next_bill_at() == end + timedelta(days=30)
    assert run_notices_before(provider, next_bill_at() - timedelta(days=7)) == 1


@pytest.mark.parametrize(("days_after_trial", "notices_queued"), [(90, 1), (0, 0)])
def test_a_trial_that_is_charged_before_it_ends_gets_a_notice(
    provider: Provider, days_after_trial: int, notices_queued: int
) -> None:
    alice = make_trial(provider)
    end = next_bill_at()
    cancel_at = int((end + timedelta(days=days_after_trial)).timestamp())
    option = {"cancel_option": "specific_date", "cancel_at": cancel_at}
    provider.sdk.Subscription.cancel_for_items(_subscription_id(alice), option)
    account_import.resync_account(alice)
    assert run_notices_before(provider, end - timedelta(days=7)) == notices_queued


def test_a_notice_is_dropped_after_the_billing_date(provider: Provider) -> None:
    make_yearly(provider)
    at = next_bill_at()
    run_notices_before(provider, at - timedelta(days=2))

    provider.travel_to(at + timedelta(days=1))
    send_due_mail()

    assert len(notice_mails("dropped")) == 1


def test_the_notice_shows_our_price_before_tax_during_an_outage(provider: Provider, settings: Settings) -> None:
    make_yearly(provider)
    run_notices_before(provider, next_bill_at() - timedelta(days=30))

    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    send_due_mail()

    (row,) = notice_mails("sent")
    assert ["Amount", "$69.99 before tax"] in row.context["facts"]


def test_a_missed_notice_is_sent_until_the_day_before(provider: Provider) -> None:
    make_paused(provider)
    at = next_bill_at()

    assert run_notices_before(provider, at - timedelta(days=1)) == 1


def test_no_notice_is_sent_on_the_billing_date(provider: Provider) -> None:
    make_paused(provider)

    assert run_notices_before(provider, next_bill_at()) == 0


def test_a_pause_that_the_subscription_does_not_outlast_gets_no_notice(provider: Provider) -> None:
    alice, resumes_at = make_paused(provider), next_bill_at()
    ending = {"cancel_option": "specific_date", "cancel_at": int((resumes_at - timedelta(hours=1)).timestamp())}
    provider.sdk.Subscription.cancel_for_items(_subscription_id(alice), ending)
    account_import.resync_account(alice)

    assert run_notices_before(provider, resumes_at - timedelta(days=2)) == 0


def test_monthly_renewals_and_canceled_subscriptions_get_no_notice(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.subscribe("alice", GOSPEL, unit="Yearly")
    provider.sdk.Subscription.cancel_for_items(
        provider.subscription(alice, GOSPEL).id, {"cancel_option": "end_of_term"}
    )
    account_import.resync_account(alice)

    assert run_notices_before(provider, clock.billing_now() + timedelta(days=360)) == 0


@pytest.mark.shows("rule-16")
@pytest.mark.parametrize(("make_account", "days"), [(make_paused, 3), (make_trial, 7), (make_yearly, 30)])
def test_a_notice_asks_for_a_payment_method_if_there_is_none(
    provider: Provider, make_account: Callable[[Provider], Account], days: int
) -> None:
    alice = make_account(provider)
    provider.sdk.PaymentSource.delete(alice.customer.payment_sources.get().provider_id)
    account_import.resync_account(alice)

    assert run_notices_before(provider, next_bill_at() - timedelta(days=days)) == 1
    send_due_mail()

    text = " ".join(mail.outbox[-1].body.split())
    assert "There's no payment method on your account. Add one before then." in text
    assert "You don't need to do anything." not in text
    assert "/manage-payment-method" in text


@pytest.mark.shows("rule-16")
@pytest.mark.parametrize(("make_account", "days"), [(make_paused, 3), (make_trial, 7), (make_yearly, 30)])
def test_a_notice_promises_no_charge_to_who_pays_bills_by_hand(
    provider: Provider, make_account: Callable[[Provider], Account], days: int
) -> None:
    alice = make_account(provider)
    provider.sdk.Customer.update("alice", {"auto_collection": "off"})
    account_import.resync_account(alice)

    assert run_notices_before(provider, next_bill_at() - timedelta(days=days)) == 1
    send_due_mail()

    text = " ".join(mail.outbox[-1].body.split())
    assert "automatically. You pay that bill yourself." in text
    assert "You don't need to do anything." not in text
    assert "we'll charge" not in text
    assert "Visa" not in text


@pytest.mark.shows("rule-16")
def test_a_renewal_at_a_price_agreed_for_the_next_year_has_its_notice(provider: Provider) -> None:
    alice = make_yearly(provider)
    items = [{"item_price_id": f"{FAITH}-USD-Yearly", "quantity": 1, "unit_price": 5000}]
    change = {"subscription_items": items, "replace_items_list": True, "change_option": "end_of_term"}
    provider.sdk.Subscription.update_for_items(_subscription_id(alice), change)
    account_import.resync_account(alice)

    assert run_notices_before(provider, next_bill_at() - timedelta(days=30)) == 1
    send_due_mail()

    assert f"renews on {long_date(next_bill_at())} for $50.00" in " ".join(mail.outbox[-1].body.split())


def test_the_queries_of_a_night_do_not_grow_with_the_renewals_that_will_switch(
    provider: Provider, django_assert_max_num_queries: Any
) -> None:
    alice = make_yearly(provider)
    switch_to_monthly(provider, alice)
    switching = Subscription.objects.get()
    provider.travel_to(next_bill_at() - timedelta(days=20))
    with CaptureQueriesContext(connection) as captured:
        assert notices.queue_due_notices(now=clock.billing_now()) == {"notices": 0}

    for number in range(20):
        switching.pk, switching.provider_id = None, f"copy-{number}"
        switching.save()
    with django_assert_max_num_queries(len(captured)):
        assert notices.queue_due_notices(now=clock.billing_now()) == {"notices": 0}


@pytest.mark.shows("rule-16")
def test_a_pause_that_customer_service_made_with_an_end_has_its_notice(provider: Provider) -> None:
    alice = provider.subscriber("alice", GOSPEL)
    end = clock.billing_now() + timedelta(days=45)
    pause = {"pause_option": "immediately", "resume_date": int(end.timestamp())}
    provider.sdk.Subscription.pause(_subscription_id(alice), pause)
    account_import.resync_account(alice)
    assert not PauseSchedule.objects.exists()

    assert run_notices_before(provider, end - timedelta(days=3)) == 1
    (sent,) = resume_notices()
    assert run_notices_before(provider, end - timedelta(days=2)) == 0

    assert sent.subject == f"Gospel TV resumes on {long_date(end)}"
    assert "we'll charge $7.99 that day" in " ".join(sent.body.split())
    provider.travel_to(end + timedelta(hours=1))
    assert provider.invoices(alice)[-1].total == 799
