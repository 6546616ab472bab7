"""A resume that could not be charged: tried again on a stated schedule that ends."""

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
from billing.models import Command, PauseSchedule
from billing.receipts.phrases import long_date
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT
from billing.tests.changes.test_pauses import pause_until_promised_day, run_due_jobs
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, VISA_CARD, Provider
from billing.tests.support.subscriber_wallet import MASTERCARD, SubscriberWallet
from conftest import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)

State = PauseSchedule.State


def make_declined_resume(provider: Provider, *, card: str | None = DECLINING_CARD) -> Account:
    """Alice, whose pause was to end tonight, and whose card was declined."""
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


def days_of_retries(provider: Provider) -> list[int]:
    """Let the hours pass until nothing more is tried; return after how many days each try was."""
    schedule = PauseSchedule.objects.get()
    first, found = clock.billing_now(), []
    while schedule.retry_at is not None:
        provider.travel_to(schedule.retry_at - timedelta(minutes=1))
        assert worker.resume_due_pauses(now=clock.billing_now()) == {"resumed": 0, "declined": 0, "later": 0}
        provider.travel_to(schedule.retry_at + timedelta(minutes=1))
        assert worker.resume_due_pauses(now=clock.billing_now(), only_retries=True)["declined"] == 1
        found.append(round((clock.billing_now() - first) / timedelta(days=1)))
        schedule.refresh_from_db()
    return found


def run_next_hour(provider: Provider) -> None:
    """Let the portal hear of what happened at the provider, and run the jobs of the next hour."""
    reconcile.read_feed(now=clock.billing_now())
    provider.travel(hours=1)
    run_due_jobs()


def sent_notices(account: Account) -> list[Any]:
    return list(OutgoingMail.objects.filter(account=account, kind="notice").order_by("pk"))


def test_it_is_tried_a_day_three_days_and_a_week_later_and_then_no_more(provider: Provider) -> None:
    alice = make_declined_resume(provider)

    assert days_of_retries(provider) == [1, 3, 7]

    schedule = PauseSchedule.objects.get()
    assert (schedule.state, schedule.declines) == (State.PAUSED, 4)
    assert schedule.given_up_at is not None
    provider.travel(days=40)
    run_due_jobs()
    assert retry.count_given_up() == resumes.count_overdue_resumes(now=clock.billing_now()) == 1
    assert provider.subscription(alice).status == "paused"
    assert len(provider.invoices(alice)) == 1


def test_each_time_the_subscriber_is_told_what_happens_next_and_when(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    schedule = PauseSchedule.objects.get()
    assert schedule.retry_at is not None
    week = [long_date(schedule.retry_at + timedelta(days=days)) for days in (0, 2, 6)]

    days_of_retries(provider)

    told = [mail.context for mail in sent_notices(alice)]
    assert (
        f"try again on {week[0]}, {week[1]}, and {week[2]}. If those all fail, it stays paused" in told[0]["lines"][1]
    )
    assert told[0]["facts"] == [["Next try", week[0]], ["Last try", week[2]]]
    assert told[2]["facts"] == [["Last try", week[2]]]
    assert "That was our last try" in told[3]["lines"][1]
    assert "resume it from your account" in told[3]["lines"][2]
    assert {notice["action_url"].rsplit("/", 1)[1] for notice in told} == {"manage-payment-method"}
    assert [link[0] for notice in told for link in notice["undo_links"]] == ["Resume or cancel Faith & Family"] * 4


def test_a_notice_of_a_try_is_not_sent_once_the_next_thing_has_happened(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", VISA_CARD)
    run_next_hour(provider)
    assert provider.subscription(alice).status == "active"

    send_due_mail()

    assert [mail.state for mail in sent_notices(alice)] == ["dropped"]


def test_a_notice_of_a_try_is_not_sent_once_customer_service_has_resumed_it(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", VISA_CARD)
    provider.sdk.Subscription.resume(provider.subscription(alice).id, {"resume_option": "immediately"})

    send_due_mail()

    assert [mail.state for mail in sent_notices(alice)] == ["dropped"]
    assert PauseSchedule.objects.get().state == State.RESUMED


def test_another_payment_method_is_tried_within_the_hour(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", VISA_CARD)

    run_next_hour(provider)

    assert provider.subscription(alice).status == "active"
    assert PauseSchedule.objects.get().state == State.RESUMED
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]


@pytest.mark.parametrize(("job", "hours", "counted"), [("pauses", 1, "retried_later"), ("resumes", 24, "later")])
@pytest.mark.parametrize("trouble", ["refused", "away"])
def test_another_payment_method_that_cannot_be_tried_is_asked_for_once_a_round_and_again_after_an_hour(
    provider: Provider, sandbox: Sandbox, settings: Settings, trouble: str, job: str, hours: int, counted: str
) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", VISA_CARD)
    reconcile.read_feed(now=clock.billing_now())
    provider.travel(hours=hours)
    sandbox.order_fault("error", "*/resume", status=409, api_error_code="invalid_state_for_request", count=5)
    settings.CHARGEBEE_ENDPOINT = {"refused": sandbox.endpoint, "away": UNREACHABLE_ENDPOINT}[trouble]
    settings.JOB_SLICE_SECONDS = 2  # a round without an end is one of so many seconds

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


def test_a_plan_with_a_card_of_its_own_waits_for_that_one_to_be_replaced(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    purse = SubscriberWallet(provider, alice)
    tied, subscription = str(purse.source_in_role()), provider.subscription(alice)
    provider.sdk.Subscription.override_billing_profile(subscription.id, {"payment_source_id": tied})
    PauseSchedule.objects.update(retry_at=clock.billing_now())
    run_next_hour(provider)
    provider.add_card("alice", VISA_CARD)
    run_next_hour(provider)
    assert PauseSchedule.objects.get().failed_attempts == 2

    purse.replace_card(tied, purse.create_token(MASTERCARD))
    run_next_hour(provider)

    assert provider.subscription(alice).status == "active"


def test_another_method_that_is_declined_too_has_a_schedule_of_its_own_and_is_not_tried_every_hour(
    provider: Provider,
) -> None:
    alice = make_declined_resume(provider)
    provider.add_card("alice", DECLINING_CARD)
    run_next_hour(provider)

    again = [worker.resume_due_pauses(now=clock.billing_now(), only_retries=True)["declined"] for _ in range(2)]

    assert again == [0, 0]
    assert (PauseSchedule.objects.get().declines, PauseSchedule.objects.get().given_up_at) == (1, None)
    assert days_of_retries(provider) == [1, 3, 7]
    assert len(sent_notices(alice)) == 5


def test_after_the_end_another_payment_method_charges_nothing_by_itself(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    days_of_retries(provider)
    provider.add_card("alice", VISA_CARD)

    run_next_hour(provider)

    assert provider.subscription(alice).status == "paused"
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid"]


def test_after_the_end_the_subscriber_resumes_by_hand(provider: Provider) -> None:
    alice = make_declined_resume(provider)
    days_of_retries(provider)
    by_hand: dict[str, Any] = {"subscription_ids": None, "quote": None, "actor": "you"}

    with pytest.raises(PaymentProcessingFailed):
        resumes.resume_subscriptions(alice, key="hand-1", now=clock.billing_now(), **by_hand)
    assert PauseSchedule.objects.get().given_up_at is not None
    provider.add_card("alice", VISA_CARD)
    resumes.resume_subscriptions(alice, key="hand-2", now=clock.billing_now(), **by_hand)

    assert provider.subscription(alice).status == "active"
    assert PauseSchedule.objects.get().state == State.RESUMED


def test_one_without_a_payment_method_is_told_so(provider: Provider) -> None:
    alice = make_declined_resume(provider, card=None)

    assert provider.subscription(alice).status == "paused"
    assert sent_notices(alice)[0].context["lines"][0].startswith("There's no payment method on your account")
    provider.add_card("alice", VISA_CARD)
    run_next_hour(provider)
    assert provider.subscription(alice).status == "active"
