"""Retries of a resume whose charge was declined."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import Account, OutgoingMail
from accounts.tests.sign_in.sign_in_client import send_due_mail
from billing import clock
from billing.changes import resumes
from billing.errors import PaymentProcessingFailed
from billing.jobs import schedule as job_schedule
from billing.jobs.resumes import retry, worker
from billing.mirror import reconcile
from billing.models import AccountDocument, Command, PauseSchedule
from billing.receipts.phrases import long_date
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, iso_time
from billing.tests.changes.test_pauses import pause_until_promised_day, run_due_jobs
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, VISA_CARD, Provider
from billing.tests.support.shown_documents import read_document
from billing.tests.support.subscriber_wallet import MASTERCARD, SubscriberWallet
from conftest import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)

State = PauseSchedule.State


def make_declined_resume(provider: Provider, *, card: str | None = DECLINING_CARD) -> Account:
    """Create Alice, whose resume is due tonight and is declined."""
    alice = provider.subscriber("alice", FAITH)
    pause_until_promised_day(provider, alice)
    if card is None:
        source = provider.sdk.Customer.retrieve("alice").customer.primary_payment_source_id
        provider.sdk.PaymentSource.delete(str(source))
        provider.sdk.Customer.update("alice", {"auto_collection": "on"})
    else:
        provider.add_card("alice", card)
    run_due_jobs()
    return alice


def travel_through_retries(provider: Provider) -> list[int]:
    """Travel from retry to retry until the last; return the days of each since now."""
    schedule = PauseSchedule.objects.get()
    first, days = clock.billing_now(), []
    while schedule.retry_at is not None:
        provider.travel_to(schedule.retry_at - timedelta(minutes=1))
        assert worker.resume_due_pauses(now=clock.billing_now()) == {"resumed": 0, "declined": 0, "later": 0}
        provider.travel_to(schedule.retry_at + timedelta(minutes=1))
        assert worker.resume_due_pauses(now=clock.billing_now(), only_retries=True)["declined"] == 1
        days.append(round((clock.billing_now() - first) / timedelta(days=1)))
        schedule.refresh_from_db()
    return days


def run_next_hour(provider: Provider) -> None:
    """Read the feed, and run the jobs of the next hour."""
    reconcile.read_feed(now=clock.billing_now())
    provider.travel(hours=1)
    run_due_jobs()


def sent_notices(account: Account) -> list[Any]:
    return list(OutgoingMail.objects.filter(account=account, kind="notice").order_by("pk"))


def test_a_resume_is_retried_after_one_three_and_seven_days(provider: Provider) -> None:
    alice = make_declined_resume(provider)

    assert travel_through_retries(provider) == [1, 3, 7]

    schedule = PauseSchedule.objects.get()
    assert (schedule.state, schedule.declines) == (State.PAUSED, 4)
    assert schedule.given_up_at is not None
    provider.travel(days=40)
    run_due_jobs()
    assert retry.count_given_up() == resumes.count_overdue_resumes(now=clock.billing_now()) == 1
    assert provider.subscription(alice).status == "paused"
    assert len(provider.invoices(alice)) == 1


def test_each_notice_says_when_the_next_retry_is(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    schedule = PauseSchedule.objects.get()
    assert schedule.retry_at is not None
    retry_dates = [long_date(schedule.retry_at + timedelta(days=days)) for days in (0, 2, 6)]

    travel_through_retries(provider)

    notices = [mail.context for mail in sent_notices(alice)]
    assert (
        f"try again on {retry_dates[0]}, {retry_dates[1]}, and {retry_dates[2]}. If those all fail, it stays paused"
        in notices[0]["lines"][1]
    )
    assert notices[0]["facts"] == [["Next try", retry_dates[0]], ["Last try", retry_dates[2]]]
    assert notices[2]["facts"] == [["Last try", retry_dates[2]]]
    assert "That was our last try" in notices[3]["lines"][1]
    assert "resume it from your account" in notices[3]["lines"][2]
    assert {notice["action_url"].rsplit("/", 1)[1] for notice in notices} == {"manage-payment-method"}
    assert [link[0] for notice in notices for link in notice["undo_links"]] == ["Resume or cancel Faith & Family"] * 4


@pytest.mark.shows("rule-3")
def test_the_account_shows_the_next_try_and_no_date_after_the_last(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    retry_at = PauseSchedule.objects.get().retry_at
    assert retry_at is not None
    [plan] = read_document(alice, AccountDocument.Kind.ACCOUNT)["plans"]
    assert plan["resumeDate"] == iso_time(retry_at)

    travel_through_retries(provider)

    shown = read_document(alice, AccountDocument.Kind.ACCOUNT)
    assert (shown["plans"][0]["resumeDate"], shown["nextBills"]) == (None, [])


def test_a_pause_that_was_given_up_ends_when_customer_service_says(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    travel_through_retries(provider)
    resumes_at = clock.billing_now().replace(microsecond=0) + timedelta(days=5)
    provider.sdk.Subscription.resume(
        provider.subscription(alice).id,
        {"resume_option": "specific_date", "resume_date": int(resumes_at.timestamp())},
    )

    reconcile.read_feed(now=clock.billing_now())

    [plan] = read_document(alice, AccountDocument.Kind.ACCOUNT)["plans"]
    assert plan["resumeDate"] == iso_time(resumes_at)


def test_a_notice_of_a_decline_is_dropped_after_a_successful_retry(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", VISA_CARD)
    run_next_hour(provider)
    assert provider.subscription(alice).status == "active"

    send_due_mail()

    assert [mail.state for mail in sent_notices(alice)] == ["dropped"]


def test_a_notice_of_a_decline_is_dropped_after_an_operators_resume(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", VISA_CARD)
    provider.sdk.Subscription.resume(provider.subscription(alice).id, {"resume_option": "immediately"})

    send_due_mail()

    assert [mail.state for mail in sent_notices(alice)] == ["dropped"]
    assert PauseSchedule.objects.get().state == State.RESUMED


def test_a_new_payment_method_is_tried_within_the_hour(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", VISA_CARD)

    run_next_hour(provider)

    assert provider.subscription(alice).status == "active"
    assert PauseSchedule.objects.get().state == State.RESUMED
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]


@pytest.mark.parametrize(("job", "hours", "counted"), [("pauses", 1, "retried_later"), ("resumes", 24, "later")])
@pytest.mark.parametrize("trouble", ["refused", "away"])
def test_a_new_method_that_fails_is_tried_once_per_run_and_again_hourly(
    provider: Provider, sandbox: Sandbox, settings: Settings, trouble: str, job: str, hours: int, counted: str
) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", VISA_CARD)
    reconcile.read_feed(now=clock.billing_now())
    provider.travel(hours=hours)
    sandbox.order_fault("error", "*/resume", status=409, api_error_code="invalid_state_for_request", count=5)
    settings.CHARGEBEE_ENDPOINT = {"refused": sandbox.endpoint, "away": UNREACHABLE_ENDPOINT}[trouble]
    settings.JOB_SLICE_SECONDS = 2  # so that an endless run would end

    run = job_schedule.run_job(job, job_schedule.JOBS[job].newest_slot(clock.billing_now()), now=clock.billing_now())

    assert run is not None
    assert run.finished_at is not None
    assert (run.counts[counted], len(sandbox.struck())) == (1, {"refused": 1, "away": 0}[trouble])
    assert Command.objects.filter(kind=resumes.RESUME.name).count() == 2
    sandbox.clear_faults()
    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    provider.travel(minutes=58)
    assert worker.resume_due_pauses(now=clock.billing_now()) == {"resumed": 0, "declined": 0, "later": 0}
    provider.travel(minutes=2)
    assert worker.resume_due_pauses(now=clock.billing_now(), only_retries=True)["resumed"] == 1
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]


def test_a_plan_with_its_own_card_is_retried_when_that_card_is_replaced(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    wallet = SubscriberWallet(provider, alice)
    own_card, subscription = str(wallet.source_in_role()), provider.subscription(alice)
    provider.sdk.Subscription.override_billing_profile(subscription.id, {"payment_source_id": own_card})
    PauseSchedule.objects.update(retry_at=clock.billing_now())
    run_next_hour(provider)
    provider.add_card("alice", VISA_CARD)
    run_next_hour(provider)
    assert PauseSchedule.objects.get().failed_attempts == 2

    wallet.replace_card(own_card, wallet.authorize_card(MASTERCARD))
    run_next_hour(provider)

    assert provider.subscription(alice).status == "active"


def test_a_declined_new_method_restarts_the_schedule_and_is_not_tried_hourly(
    provider: Provider,
) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", DECLINING_CARD)
    run_next_hour(provider)

    again = [worker.resume_due_pauses(now=clock.billing_now(), only_retries=True)["declined"] for _ in range(2)]

    assert again == [0, 0]
    assert (PauseSchedule.objects.get().declines, PauseSchedule.objects.get().given_up_at) == (1, None)
    assert travel_through_retries(provider) == [1, 3, 7]
    assert len(sent_notices(alice)) == 5


def test_a_new_payment_method_after_the_last_retry_is_not_charged(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    travel_through_retries(provider)
    provider.add_card("alice", VISA_CARD)

    run_next_hour(provider)

    assert provider.subscription(alice).status == "paused"
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid"]


def test_the_subscriber_can_resume_after_the_last_retry(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    travel_through_retries(provider)
    by_hand: dict[str, Any] = {"subscription_ids": None, "quote": None, "actor": "you"}

    with pytest.raises(PaymentProcessingFailed):
        resumes.resume_subscriptions(alice, key="hand-1", now=clock.billing_now(), **by_hand)
    assert PauseSchedule.objects.get().given_up_at is not None
    provider.add_card("alice", VISA_CARD)
    resumes.resume_subscriptions(alice, key="hand-2", now=clock.billing_now(), **by_hand)

    assert provider.subscription(alice).status == "active"
    assert PauseSchedule.objects.get().state == State.RESUMED


def test_a_notice_names_a_missing_payment_method(provider: Provider) -> None:
    alice = make_declined_resume(provider, card=None)

    assert provider.subscription(alice).status == "paused"
    assert sent_notices(alice)[0].context["lines"][0].startswith("There's no payment method on your account")
    provider.add_card("alice", VISA_CARD)
    run_next_hour(provider)
    assert provider.subscription(alice).status == "active"
