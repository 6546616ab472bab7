"""A resume that could not be charged: tried again on a stated schedule that ends (contract, rules 1 and 3)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import Account, OutgoingMail
from accounts.tests.door import post
from billing import clock
from billing.errors import PaymentProcessingFailed
from billing.models import Command, PauseSchedule
from billing.services import jobs, reconcile, resume_retries, resumes, resuming_night
from billing.services.wording import long_date
from billing.tests.api.shop import NOBODY
from billing.tests.live import DECLINES, FAITH, VISA, Provider
from billing.tests.purse import MASTERCARD, Purse
from billing.tests.services.test_pausing import asleep_until_the_promised_day, run_due_jobs
from conftest import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)

State = PauseSchedule.State


def declined(provider: Provider, *, card: str | None = DECLINES) -> Account:
    """Alice, whose pause was to end tonight, and whose card was declined."""
    alice = provider.subscriber("alice", FAITH)
    asleep_until_the_promised_day(provider, alice)
    if card is None:
        source = provider.sdk.Customer.retrieve("alice").customer.primary_payment_source_id
        provider.sdk.PaymentSource.delete(str(source))
        provider.sdk.Customer.update("alice", {"auto_collection": "on"})
    else:
        provider.add_card("alice", card)
    run_due_jobs()
    return alice


def next_tries(provider: Provider) -> list[int]:
    """Let the hours pass until nothing more is tried; return after how many days each try was."""
    schedule = PauseSchedule.objects.get()
    first, found = clock.now(), []
    while schedule.next_try_at is not None:
        provider.travel_to(schedule.next_try_at - timedelta(minutes=1))
        assert resuming_night.resume_due(now=clock.now()) == {"resumed": 0, "declined": 0, "later": 0}
        provider.travel_to(schedule.next_try_at + timedelta(minutes=1))
        assert resuming_night.resume_due(now=clock.now(), only_retries=True)["declined"] == 1
        found.append(round((clock.now() - first) / timedelta(days=1)))
        schedule.refresh_from_db()
    return found


def an_hour_later(provider: Provider) -> None:
    """Let the portal hear of what happened at the provider, and run the jobs of the next hour."""
    reconcile.read_feed(now=clock.now())
    provider.travel(hours=1)
    run_due_jobs()


def notices(account: Account) -> list[Any]:
    return list(OutgoingMail.objects.filter(account=account, kind="notice").order_by("pk"))


def test_it_is_tried_a_day_three_days_and_a_week_later_and_then_no_more(provider: Provider) -> None:
    alice = declined(provider)

    assert next_tries(provider) == [1, 3, 7]

    schedule = PauseSchedule.objects.get()
    assert (schedule.state, schedule.declines) == (State.PAUSED, 4)
    assert schedule.given_up_at is not None
    provider.travel(days=40)
    run_due_jobs()
    assert resume_retries.given_up() == resumes.overdue(now=clock.now()) == 1
    assert provider.subscription(alice).status == "paused"
    assert len(provider.invoices(alice)) == 1


def test_each_time_the_subscriber_is_told_what_happens_next_and_when(provider: Provider) -> None:
    alice = declined(provider)
    schedule = PauseSchedule.objects.get()
    assert schedule.next_try_at is not None
    week = [long_date(schedule.next_try_at + timedelta(days=days)) for days in (0, 2, 6)]

    next_tries(provider)

    told = [mail.context for mail in notices(alice)]
    assert (
        f"try again on {week[0]}, {week[1]} and {week[2]}. If all of that fails, we stop"
        in told[0]["lines"][1]
    )
    assert told[0]["facts"] == [["Next try", week[0]], ["Last try", week[2]]]
    assert told[2]["facts"] == [["Last try", week[2]]]
    assert "we will not try again by ourselves" in told[3]["lines"][1]
    assert "resume it on your account" in told[3]["lines"][2]
    assert {one["action_url"].rsplit("/", 1)[1] for one in told} == {"manage-payment-method"}
    assert [link[0] for one in told for link in one["undo_links"]] == ["Resume or cancel Faith & Family"] * 4


def test_a_notice_of_a_try_is_not_sent_once_the_next_thing_has_happened(provider: Provider) -> None:
    alice = declined(provider)
    provider.add_card("alice", VISA)
    an_hour_later(provider)
    assert provider.subscription(alice).status == "active"

    post()

    assert [mail.state for mail in notices(alice)] == ["dropped"]


def test_a_notice_of_a_try_is_not_sent_once_customer_service_has_resumed_it(provider: Provider) -> None:
    alice = declined(provider)
    provider.add_card("alice", VISA)
    provider.sdk.Subscription.resume(provider.subscription(alice).id, {"resume_option": "immediately"})

    post()

    assert [mail.state for mail in notices(alice)] == ["dropped"]
    assert PauseSchedule.objects.get().state == State.RESUMED


def test_another_payment_method_is_tried_within_the_hour(provider: Provider) -> None:
    alice = declined(provider)
    provider.add_card("alice", VISA)

    an_hour_later(provider)

    assert provider.subscription(alice).status == "active"
    assert PauseSchedule.objects.get().state == State.RESUMED
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]


@pytest.mark.parametrize(
    ("job", "hours", "counted"), [("pauses", 1, "retried_later"), ("resumes", 24, "later")]
)
@pytest.mark.parametrize("trouble", ["refused", "away"])
def test_another_payment_method_that_cannot_be_tried_is_asked_for_once_a_round_and_again_after_an_hour(
    provider: Provider, sandbox: Sandbox, settings: Settings, trouble: str, job: str, hours: int, counted: str
) -> None:
    alice = declined(provider)
    provider.add_card("alice", VISA)
    reconcile.read_feed(now=clock.now())
    provider.travel(hours=hours)
    sandbox.misbehave("error", "*/resume", status=409, api_error_code="invalid_state_for_request", count=5)
    settings.CHARGEBEE_ENDPOINT = {"refused": sandbox.endpoint, "away": NOBODY}[trouble]
    settings.JOB_SLICE_SECONDS = 2  # a round without an end is one of so many seconds

    run = jobs.run(job, jobs.JOBS[job].slot(clock.now()), now=clock.now())

    assert run is not None
    assert run.finished_at is not None
    assert (run.counts[counted], len(sandbox.struck())) == (1, {"refused": 1, "away": 0}[trouble])
    assert Command.objects.filter(kind=resumes.RESUME).count() == 2
    sandbox.behave()
    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    provider.travel(minutes=58)
    assert resuming_night.resume_due(now=clock.now()) == {"resumed": 0, "declined": 0, "later": 0}
    provider.travel(minutes=2)
    assert resuming_night.resume_due(now=clock.now(), only_retries=True)["resumed"] == 1
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]


def test_a_plan_with_a_card_of_its_own_waits_for_that_one_to_be_replaced(provider: Provider) -> None:
    alice = declined(provider)
    purse = Purse(provider, alice)
    tied, subscription = str(purse.role()), provider.subscription(alice)
    provider.sdk.Subscription.override_billing_profile(subscription.id, {"payment_source_id": tied})
    PauseSchedule.objects.update(next_try_at=clock.now())
    an_hour_later(provider)
    provider.add_card("alice", VISA)
    an_hour_later(provider)
    assert PauseSchedule.objects.get().attempts == 2

    purse.replace(tied, purse.token(MASTERCARD))
    an_hour_later(provider)

    assert provider.subscription(alice).status == "active"


def test_another_method_that_is_declined_too_has_a_schedule_of_its_own_and_is_not_tried_every_hour(
    provider: Provider,
) -> None:
    alice = declined(provider)
    provider.add_card("alice", DECLINES)
    an_hour_later(provider)

    again = [resuming_night.resume_due(now=clock.now(), only_retries=True)["declined"] for _ in range(2)]

    assert again == [0, 0]
    assert (PauseSchedule.objects.get().declines, PauseSchedule.objects.get().given_up_at) == (1, None)
    assert next_tries(provider) == [1, 3, 7]
    assert len(notices(alice)) == 5


def test_after_the_end_another_payment_method_charges_nothing_by_itself(provider: Provider) -> None:
    alice = declined(provider)
    next_tries(provider)
    provider.add_card("alice", VISA)

    an_hour_later(provider)

    assert provider.subscription(alice).status == "paused"
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid"]


def test_after_the_end_the_subscriber_resumes_by_hand(provider: Provider) -> None:
    alice = declined(provider)
    next_tries(provider)
    by_hand: dict[str, Any] = {"subscription_ids": None, "quote": None, "actor": "you"}

    with pytest.raises(PaymentProcessingFailed):
        resumes.resume(alice, key="hand-1", now=clock.now(), **by_hand)
    assert PauseSchedule.objects.get().given_up_at is not None
    provider.add_card("alice", VISA)
    resumes.resume(alice, key="hand-2", now=clock.now(), **by_hand)

    assert provider.subscription(alice).status == "active"
    assert PauseSchedule.objects.get().state == State.RESUMED


def test_one_without_a_payment_method_is_told_so(provider: Provider) -> None:
    alice = declined(provider, card=None)

    assert provider.subscription(alice).status == "paused"
    assert notices(alice)[0].context["lines"][0].startswith("There is no payment method on your account")
    provider.add_card("alice", VISA)
    an_hour_later(provider)
    assert provider.subscription(alice).status == "active"
