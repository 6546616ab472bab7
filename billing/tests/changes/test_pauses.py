"""Pauses: scheduling, removing, and resuming by the nightly job."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail

from accounts.models import Account, AccountEvent, OutgoingMail
from accounts.tests.sign_in.sign_in_client import send_due_mail
from billing import clock
from billing.changes import cancellation, pauses, resumes, undo
from billing.errors import InvalidState
from billing.jobs import schedule as job_schedule
from billing.jobs.resumes import worker
from billing.mirror import account_import, reconcile
from billing.models import Command, Invoice, JobRun, PauseSchedule, Subscription
from billing.queries.subscriptions.ownership import live_holdings
from billing.survey import Survey
from billing.tests.support.invariants import expire_leases
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, KIDS, Provider, utc_time

pytestmark = pytest.mark.django_db(transaction=True)

State = PauseSchedule.State


def pause_plans(account: Account, *plans: str, key: str = "pause-1") -> None:
    ids = [row.provider_id for row in Subscription.objects.filter(customer__account=account) if row.plan.id in plans]
    pauses.schedule_pause(account, subscription_ids=ids or None, days=30, key=key, actor="you", now=clock.billing_now())


def run_due_jobs() -> None:
    for job, slot in list(job_schedule.due_jobs(clock.billing_now())):
        job_schedule.run_job(job.name, slot, now=clock.billing_now())


def mail_titles(account: Account) -> list[Any]:
    sent = OutgoingMail.objects.filter(account=account, context__has_key="title")
    return [row.context["title"] for row in sent.order_by("pk")]


@pytest.mark.shows("rule-1")
def test_a_pause_is_scheduled_at_the_provider_and_its_resume_date_stored(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)

    pause_plans(alice, FAITH)

    subscription = provider.subscription(alice, FAITH)
    term_end = utc_time(subscription.current_term_end)
    schedule = PauseSchedule.objects.get()
    assert (subscription.status, utc_time(subscription.pause_date)) == ("active", term_end)
    assert subscription.resume_date is None
    assert (schedule.state, schedule.pause_date) == (State.SCHEDULED, term_end)
    assert schedule.resume_date == term_end + timedelta(days=30)
    assert provider.subscription(alice, GOSPEL).pause_date is None
    assert mail_titles(alice) == ["Your pause of Faith & Family is scheduled"]
    assert AccountEvent.objects.get(account=alice).actor == "you"


def test_a_second_pause_is_refused_without_a_provider_call(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)

    with pytest.raises(pauses.AlreadyPaused):
        pause_plans(alice, key="pause-2")

    assert len(provider.events("subscription_pause_scheduled")) == 1


def test_pausing_everything_skips_what_cannot_be_paused(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.subscribe("alice", KIDS, trial_end=int(clock.billing_now().timestamp()) + 86400 * 5)
    account_import.resync_account(alice)

    pause_plans(alice)

    assert PauseSchedule.objects.get().subscription.plan.id == FAITH


def test_one_plan_that_cannot_be_paused_refuses_the_whole_request(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    provider.sdk.Subscription.cancel_for_items(
        provider.subscription(alice, GOSPEL).id, {"cancel_option": "end_of_term"}
    )
    account_import.resync_account(alice)

    with pytest.raises(InvalidState):
        pause_plans(alice, FAITH, GOSPEL)

    assert provider.events("subscription_pause_scheduled") == []


def test_a_scheduled_pause_can_be_removed(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)

    pauses.remove_scheduled_pause(alice, subscription_ids=None, key="back", actor="you", now=clock.billing_now())

    subscription = provider.subscription(alice)
    assert subscription.next_billing_at == subscription.current_term_end
    assert PauseSchedule.objects.get().state == State.REMOVED
    assert mail_titles(alice)[-1] == "Your scheduled pause of Faith & Family was removed"
    with pytest.raises(pauses.NoScheduledPause):
        pauses.remove_scheduled_pause(alice, subscription_ids=None, key="again", actor="you", now=clock.billing_now())


@pytest.mark.shows("rule-1")
def test_the_nightly_job_resumes_on_the_promised_date_and_bills_once(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    pause_plans(alice)
    promised = PauseSchedule.objects.first()
    assert promised is not None

    provider.travel_to(promised.pause_date + timedelta(hours=1))
    run_due_jobs()
    assert {row.state for row in PauseSchedule.objects.all()} == {State.PAUSED}
    assert len(provider.invoices(alice)) == 2

    provider.travel_to(job_schedule.newest_night(promised.resume_date) - timedelta(hours=24))
    run_due_jobs()
    assert provider.subscription(alice).status == "paused"

    provider.travel_to(job_schedule.newest_night(promised.resume_date) + timedelta(minutes=1))
    run_due_jobs()
    worker.resume_due_pauses(now=clock.billing_now())

    assert [provider.subscription(alice, plan).status for plan in (FAITH, GOSPEL)] == ["active", "active"]
    assert [invoice.total for invoice in provider.invoices(alice)[2:]] == [699, 799]
    assert {row.state for row in PauseSchedule.objects.all()} == {State.RESUMED}
    assert AccountEvent.objects.filter(account=alice, kind="resumed").count() == 2


def resume_titles(account: Account) -> list[str]:
    """Send all mail; return the subjects of the sent receipts of resumes."""
    expire_leases()
    mail.outbox.clear()
    send_due_mail()
    return [str(message.subject) for message in mail.outbox if "active again" in message.subject]


def pause_two_until_promised_night(provider: Provider) -> Account:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    pause_plans(alice)
    promised = PauseSchedule.objects.earliest("pk")
    provider.travel_to(promised.pause_date + timedelta(hours=1))
    run_due_jobs()
    provider.travel_to(job_schedule.newest_night(promised.resume_date) + timedelta(minutes=1))
    return alice


@pytest.mark.shows("rule-16")
def test_plans_that_resume_in_the_same_night_have_one_receipt(provider: Provider) -> None:
    alice = pause_two_until_promised_night(provider)

    worker.resume_due_pauses(now=clock.billing_now())

    assert resume_titles(alice) == ["Faith & Family and Gospel TV are active again"]
    body = next(message.body for message in mail.outbox if "active again" in message.subject)
    assert "$14.98, taxes included" in body
    worker.resume_due_pauses(now=clock.billing_now())
    assert resume_titles(alice) == []


@pytest.mark.shows("rule-16")
def test_a_resume_after_the_receipt_of_the_first_was_sent_has_its_own(provider: Provider) -> None:
    alice = pause_two_until_promised_night(provider)
    first = PauseSchedule.objects.earliest("pk")
    resumes.resume_subscriptions(
        alice,
        subscription_ids=[first.subscription.provider_id],
        quote=None,
        key=f"resume-schedule-{first.pk}-0",
        actor="system",
        now=clock.billing_now(),
    )
    send_due_mail()
    # It waits for the other plan, which a killed worker does not reach.
    assert OutgoingMail.objects.unfinished().filter(dedupe_key__startswith="command:").count() == 1
    assert resume_titles(alice) == ["Faith & Family is active again"]

    worker.resume_due_pauses(now=clock.billing_now())

    assert resume_titles(alice) == ["Gospel TV is active again"]


@pytest.mark.shows("rule-16")
def test_a_resume_beside_a_declined_one_has_its_receipt(provider: Provider) -> None:
    alice = pause_two_until_promised_night(provider)
    gospel = provider.subscription(alice, GOSPEL).id
    provider.sandbox.order_fault("decline_payment", f"/subscriptions/{gospel}/resume")

    worker.resume_due_pauses(now=clock.billing_now())

    assert resume_titles(alice) == ["Faith & Family is active again"]


@pytest.mark.shows("reliability-27")
def test_the_next_run_catches_up_on_a_missed_night(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    promised = PauseSchedule.objects.get()
    provider.travel_to(promised.pause_date + timedelta(hours=1))
    run_due_jobs()

    provider.travel_to(promised.resume_date + timedelta(days=3))
    assert resumes.count_overdue_resumes(now=clock.billing_now()) == 1
    run_due_jobs()

    assert provider.subscription(alice).status == "active"
    assert resumes.count_overdue_resumes(now=clock.billing_now()) == 0


def test_a_declined_resume_stays_paused_and_is_retried_the_next_night(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    promised = PauseSchedule.objects.get()
    provider.travel_to(promised.pause_date + timedelta(hours=1))
    run_due_jobs()
    provider.add_card("alice", DECLINING_CARD)

    provider.travel_to(promised.resume_date)
    worker.resume_due_pauses(now=clock.billing_now())
    worker.resume_due_pauses(now=clock.billing_now())

    promised.refresh_from_db()
    assert provider.subscription(alice).status == "paused"
    assert (promised.state, promised.last_error, promised.failed_attempts) == (
        State.PAUSED,
        "payment_processing_failed",
        1,
    )
    assert mail_titles(alice)[-1] == "We couldn't resume Faith & Family"

    provider.add_card("alice", "4111111111111111")
    provider.travel(days=1, minutes=1)
    worker.resume_due_pauses(now=clock.billing_now())

    assert provider.subscription(alice).status == "active"
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]


@pytest.mark.shows("rule-1")
def test_a_pause_removed_at_the_provider_closes_the_schedule_and_sends_mail(
    provider: Provider,
) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    provider.sdk.Subscription.remove_scheduled_pause(provider.subscription(alice).id)

    provider.travel_to(PauseSchedule.objects.get().pause_date + timedelta(hours=1))
    run_due_jobs()

    assert PauseSchedule.objects.get().state == State.SUPERSEDED
    assert provider.subscription(alice).status == "active"
    assert mail_titles(alice)[-1] == "The scheduled pause of Faith & Family no longer applies"


def test_mail_about_a_pause_missed_by_the_mirror_does_not_deny_it(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    provider.travel_to(PauseSchedule.objects.get().pause_date + timedelta(hours=1))
    provider.sdk.Subscription.resume(provider.subscription(alice).id, {"resume_option": "immediately"})

    run_due_jobs()

    assert PauseSchedule.objects.get().state == State.SUPERSEDED
    assert "was not paused" not in str(OutgoingMail.objects.latest("pk").context)


def test_mail_about_a_canceled_subscription_does_not_say_that_it_continues(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, {"cancel_option": "immediately"})

    account_import.resync_account(alice)

    assert OutgoingMail.objects.latest("pk").context["lines"] == ["Faith & Family has ended."]


@pytest.mark.parametrize("days", [3, 40])
def test_a_pause_that_begins_on_another_date_lasts_thirty_days_from_there(provider: Provider, days: int) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    moved = {
        "pause_option": "specific_date",
        "pause_date": int((clock.billing_now() + timedelta(days=days)).timestamp()),
    }
    provider.sdk.Subscription.pause(provider.subscription(alice).id, moved)

    provider.travel(days=45)
    account_import.resync_account(alice)

    began, schedule = provider.subscription(alice).pause_date, PauseSchedule.objects.get()
    assert (schedule.state, schedule.pause_date) == (State.PAUSED, utc_time(began))
    assert schedule.resume_date == utc_time(began) + timedelta(days=30)


@pytest.mark.shows("reliability-35")
def test_a_pause_that_customer_service_gives_another_end_ends_then(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    promised = PauseSchedule.objects.get().resume_date
    provider.travel_to(PauseSchedule.objects.get().pause_date + timedelta(hours=1))
    run_due_jobs()
    later = promised + timedelta(days=14)
    extended = {"resume_option": "specific_date", "resume_date": int(later.timestamp())}
    provider.sdk.Subscription.resume(provider.subscription(alice).id, extended)
    account_import.resync_account(alice)
    assert live_holdings(alice)[0].resume_date == later

    billed = len(provider.invoices(alice))
    for night in (promised + timedelta(hours=1), later - timedelta(hours=1)):
        provider.travel_to(night)
        worker.resume_due_pauses(now=clock.billing_now())
        assert (provider.subscription(alice).status, len(provider.invoices(alice))) == ("paused", billed)

    provider.travel_to(later + timedelta(hours=12))
    worker.resume_due_pauses(now=clock.billing_now())
    assert (provider.subscription(alice).status, len(provider.invoices(alice))) == ("active", billed + 1)
    assert PauseSchedule.objects.get().state == State.RESUMED


@pytest.mark.shows("reliability-35")
def test_a_scheduled_pause_takes_over_an_end_and_loses_it_with_a_new_date(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    subscription, schedule = provider.subscription(alice).id, PauseSchedule.objects.get()
    end = schedule.pause_date + timedelta(days=60)
    longer = {"pause_option": "end_of_term", "resume_date": int(end.timestamp())}
    provider.sdk.Subscription.pause(subscription, longer)
    account_import.resync_account(alice)
    assert live_holdings(alice)[0].resume_date == end

    moved = schedule.pause_date - timedelta(days=3)
    sooner = {"pause_option": "specific_date", "pause_date": int(moved.timestamp())}
    provider.sdk.Subscription.pause(subscription, sooner)
    account_import.resync_account(alice)
    assert (live_holdings(alice)[0].pause_date, live_holdings(alice)[0].resume_date) == (
        moved,
        moved + timedelta(days=30),
    )


@pytest.mark.shows("rule-1")
@pytest.mark.parametrize("days", [-20, 14], ids=["sooner", "later"])
def test_a_pause_whose_end_customer_service_takes_back_ends_as_promised(provider: Provider, days: int) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    promised = PauseSchedule.objects.get().resume_date
    provider.travel_to(PauseSchedule.objects.get().pause_date + timedelta(hours=1))
    run_due_jobs()
    subscription, end = provider.subscription(alice).id, promised + timedelta(days=days)
    moved = {"resume_option": "specific_date", "resume_date": int(end.timestamp())}
    provider.sdk.Subscription.resume(subscription, moved)
    account_import.resync_account(alice)
    provider.sdk.Subscription.remove_scheduled_resumption(subscription)
    account_import.resync_account(alice)

    assert live_holdings(alice)[0].resume_date == promised
    provider.travel_to(promised - timedelta(days=1))
    worker.resume_due_pauses(now=clock.billing_now())
    assert provider.subscription(alice).status == "paused"
    provider.travel_to(promised + timedelta(hours=1))
    worker.resume_due_pauses(now=clock.billing_now())
    assert provider.subscription(alice).status == "active"


@pytest.mark.shows("reliability-35")
def test_a_pause_that_was_set_aside_comes_back_with_the_end_that_customer_service_gave_it(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    subscription, end = provider.subscription(alice).id, PauseSchedule.objects.get().pause_date + timedelta(days=60)
    longer = {"pause_option": "end_of_term", "resume_date": int(end.timestamp())}
    provider.sdk.Subscription.pause(subscription, longer)
    account_import.resync_account(alice)
    now = clock.billing_now()
    cancellation.cancel_subscriptions(alice, subscription_ids=None, survey=Survey(), key="go", actor="you", now=now)
    assert provider.subscription(alice).pause_date is None

    undo.remove_scheduled_cancellation(alice, subscription_ids=[subscription], key="stay", actor="you", now=now)

    assert live_holdings(alice)[0].resume_date == end
    assert provider.subscription(alice).resume_date == int(end.timestamp())


def test_a_subscription_resumed_at_the_provider_is_not_resumed_again(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    promised = PauseSchedule.objects.get()
    provider.travel_to(promised.pause_date + timedelta(hours=1))
    run_due_jobs()
    provider.sdk.Subscription.resume(provider.subscription(alice).id, {"resume_option": "immediately"})

    provider.travel_to(promised.resume_date)
    worker.resume_due_pauses(now=clock.billing_now())

    assert PauseSchedule.objects.get().state == State.RESUMED
    assert len(provider.invoices(alice)) == 2


@pytest.mark.shows("rule-1")
@pytest.mark.parametrize("days", [-15, 15], ids=["sooner", "later"])
def test_a_paused_plan_that_customer_service_lets_end_shows_its_end(provider: Provider, days: int) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    promised = PauseSchedule.objects.get().resume_date
    end = promised + timedelta(days=days)
    ending = {"cancel_option": "specific_date", "cancel_at": int(end.timestamp())}
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, ending)
    provider.travel_to(PauseSchedule.objects.get().pause_date + timedelta(hours=1))
    run_due_jobs()

    (shown,) = live_holdings(alice)
    assert (shown.is_paused, shown.cancel_at) == (True, end)
    assert shown.resume_date == (promised if end > promised else None)
    provider.travel_to(promised + timedelta(hours=1))
    account_import.resync_account(alice)
    worker.resume_due_pauses(now=clock.billing_now())
    assert provider.subscription(alice).status == ("non_renewing" if end > promised else "cancelled")


@pytest.mark.shows("reliability-35")
def test_a_pause_that_customer_service_begins_anew_is_left_to_it(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_plans(alice)
    promised = PauseSchedule.objects.get()
    provider.travel_to(promised.pause_date + timedelta(hours=1))
    run_due_jobs()
    provider.travel(days=20)
    subscription = provider.subscription(alice).id
    provider.sdk.Subscription.resume(subscription, {"resume_option": "immediately"})
    provider.sdk.Subscription.pause(subscription, {"pause_option": "immediately"})
    reconcile.read_feed(now=clock.billing_now())
    assert live_holdings(alice)[0].resume_date is None

    provider.travel_to(promised.resume_date + timedelta(hours=1))
    worker.resume_due_pauses(now=clock.billing_now())

    assert PauseSchedule.objects.get().state == State.RESUMED
    assert provider.subscription(alice).status == "paused"


def pause_until_promised_day(provider: Provider, *accounts: Account) -> None:
    for account in accounts:
        pause_plans(account)
    promised = PauseSchedule.objects.earliest("pause_date")
    provider.travel_to(promised.pause_date + timedelta(hours=1))
    run_due_jobs()
    provider.travel_to(promised.resume_date + timedelta(hours=1))


def test_a_resume_refused_one_night_is_retried_later(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_until_promised_day(provider, alice)
    Command.objects.create(
        account=alice,
        kind="resume",
        key=f"resume-schedule-{PauseSchedule.objects.get().pk}-0",
        actor="system",
        state=Command.State.FAILED,
        steps=[],
        error_code="invalid_state",
    )

    worker.resume_due_pauses(now=clock.billing_now())  # reads back that it is still paused
    provider.travel(hours=2)
    worker.resume_due_pauses(now=clock.billing_now())

    assert provider.subscription(alice).status == "active"
    assert len(provider.invoices(alice)) == 2


def test_a_resume_that_raises_does_not_block_the_others(provider: Provider) -> None:
    alice, bob = provider.subscriber("alice", FAITH), provider.subscriber("bob", FAITH)
    pause_until_promised_day(provider, alice, bob)
    Subscription.objects.filter(customer__account=alice).update(status="active")
    # An invalid payload, so that Alice's documents cannot be rendered and none of her changes applied.
    Invoice.objects.create(
        provider_id="ghost",
        customer=alice.customer,
        issued_at=clock.billing_now(),
        synced_at=clock.billing_now(),
        payload={"linked_payments": 7},
    )

    counts = worker.resume_due_pauses(now=clock.billing_now())

    assert counts == {"resumed": 1, "declined": 0, "later": 1}
    assert provider.subscription(bob).status == "active"


@pytest.mark.shows("rule-1")
def test_a_declined_resume_counts_as_overdue(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_until_promised_day(provider, alice)
    provider.add_card("alice", DECLINING_CARD)

    assert worker.resume_due_pauses(now=clock.billing_now())["declined"] == 1
    assert resumes.count_overdue_resumes(now=clock.billing_now()) == 1


def test_two_beats_run_a_job_once(provider: Provider) -> None:
    slot = job_schedule.newest_night(clock.billing_now())

    first = job_schedule.run_job("resumes", slot, now=clock.billing_now())
    second = job_schedule.run_job("resumes", slot, now=clock.billing_now())

    assert first is not None
    assert second is None
    assert JobRun.objects.filter(job="resumes").count() == 1
