"""What will be billed by itself is told beforehand: once, with its amount, and only while it is true (rule 16)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
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
    """When the only subscription bills by itself."""
    schedule = PauseSchedule.objects.first()
    if schedule is not None:
        return schedule.resume_date
    held = Subscription.objects.get()
    at = held.trial_end if held.status == "in_trial" else held.next_billing_at
    assert at is not None
    return at


def run_notices_before(provider: Provider, night: datetime) -> int:
    """Run the notices of the night before an instant; return how many were new."""
    provider.travel_to(job_schedule.newest_night(night) + timedelta(minutes=1))
    return notices.queue_due_notices(now=clock.billing_now())["notices"]


def notice_mails(state: str) -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(kind="notice", state=state))


@pytest.mark.shows("rule-16")
@pytest.mark.parametrize(
    ("arranged", "days", "amount", "told"),
    [
        (make_paused, 3, "$7.99", "Gospel TV resumes on {}"),
        (make_trial, 7, "$8.99", "Your Kids trial ends on {}"),
        (make_yearly, 30, "$69.99", "Faith & Family renews on {}"),
    ],
)
def test_it_is_told_so_many_days_before_once_with_its_amount_and_the_way_out(
    provider: Provider, arranged: Callable[[Provider], Account], days: int, amount: str, told: str
) -> None:
    alice = arranged(provider)
    at = next_bill_at()

    assert run_notices_before(provider, at - timedelta(days=days + 1)) == 0
    assert run_notices_before(provider, at - timedelta(days=days)) == 1
    send_due_mail()
    assert run_notices_before(provider, at - timedelta(days=days - 1)) == 0
    assert notices.queue_due_notices(now=clock.billing_now()) == {"notices": 0}

    (sent,) = [message for message in mail.outbox if message.subject == told.format(long_date(at))]
    subscription = Subscription.objects.get(customer__account=alice)
    assert amount in sent.body
    assert "Visa ending in 1111" in sent.body
    assert f"/cancelAll?ids={subscription.provider_id}" in sent.body
    provider.travel_to(at + timedelta(days=1))
    run_due_jobs()
    assert f"{provider.invoices(alice)[-1].total / 100:.2f}" == amount.removeprefix("$")


@pytest.mark.shows("rule-16")
def test_operators_choose_how_long_before(provider: Provider) -> None:
    make_trial(provider)
    SiteSettings.objects.update_or_create(pk=1, defaults={"trial_notice_days": 14})

    assert run_notices_before(provider, next_bill_at() - timedelta(days=14)) == 1


def test_the_next_year_has_a_notice_of_its_own(provider: Provider) -> None:
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
def test_what_is_no_longer_true_when_the_mail_leaves_is_not_sent(
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
def test_what_becomes_true_again_is_told_after_all(
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


def test_a_trial_that_customer_service_made_longer_is_told_of_at_its_new_end(provider: Provider) -> None:
    alice = make_trial(provider)
    end = next_bill_at()
    assert run_notices_before(provider, end - timedelta(days=7)) == 1

    later = int((end + timedelta(days=30)).timestamp())
    provider.sdk.Subscription.update_for_items(_subscription_id(alice), {"trial_end": later})
    send_due_mail()

    assert len(notice_mails("dropped")) == 1
    assert next_bill_at() == end + timedelta(days=30)
    assert run_notices_before(provider, next_bill_at() - timedelta(days=7)) == 1


def test_a_mail_server_that_comes_back_too_late_sends_nothing(provider: Provider) -> None:
    make_yearly(provider)
    at = next_bill_at()
    run_notices_before(provider, at - timedelta(days=2))

    provider.travel_to(at + timedelta(days=1))
    send_due_mail()

    assert len(notice_mails("dropped")) == 1


def test_a_provider_that_is_away_leaves_our_own_price_before_tax(provider: Provider, settings: Settings) -> None:
    make_yearly(provider)
    run_notices_before(provider, next_bill_at() - timedelta(days=30))

    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    send_due_mail()

    (row,) = notice_mails("sent")
    assert ["Amount", "$69.99 before tax"] in row.context["facts"]


def test_a_night_that_was_missed_is_made_up_for_until_the_day_before(provider: Provider) -> None:
    make_paused(provider)
    at = next_bill_at()

    assert run_notices_before(provider, at - timedelta(days=1)) == 1


def test_on_the_day_itself_it_is_too_late(provider: Provider) -> None:
    make_paused(provider)

    assert run_notices_before(provider, next_bill_at()) == 0


def test_monthly_renewals_and_ended_subscriptions_are_not_told_of(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.subscribe("alice", GOSPEL, unit="Yearly")
    provider.sdk.Subscription.cancel_for_items(
        provider.subscription(alice, GOSPEL).id, {"cancel_option": "end_of_term"}
    )
    account_import.resync_account(alice)

    assert run_notices_before(provider, clock.billing_now() + timedelta(days=360)) == 0
