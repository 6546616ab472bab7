"""Commands: a repeated one acts once, and none is reported as failed that may have succeeded."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Account, AccountEvent, OutgoingMail
from billing import clock
from billing.changes import pauses, resumes, undo
from billing.changes.pauses import PAUSE
from billing.commands import lifecycle
from billing.errors import (
    BillingError,
    BillingPartial,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    InvalidState,
    PaymentProcessingFailed,
)
from billing.gateway import records
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.mirror import account_import, writer
from billing.models import AccountDocument, Command, PauseSchedule, Subscription
from billing.models.steps import Step, StepState
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.storm.injected_troubles import ProcessDied
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, KIDS, Provider, utc_time
from billing.tests.support.shown_documents import built_documents, read_documents
from conftest import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

State = Command.State
PAUSED = "subscription_pause_scheduled"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
EMPTY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
BROKEN = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\nConnection: close\r\n\r\noops"
CUT = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\nConnection: close\r\n\r\n{"


def pause_all(account: Account, key: str = "one-intent") -> None:
    pauses.schedule_pause(account, subscription_ids=None, days=30, key=key, actor="you", now=clock.billing_now())


def pause_plans(account: Account, *plans: str, key: str = "one-intent") -> None:
    rows = Subscription.objects.filter(customer__account=account)
    ids = [row.provider_id for row in rows if row.plan.id in plans]
    pauses.schedule_pause(account, subscription_ids=ids, days=30, key=key, actor="you", now=clock.billing_now())


def expire_lease() -> None:
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def is_lease_renewed_within(*, seconds: float) -> bool:
    """Wait for the lease of the open command to be renewed; return whether it was."""
    end, deadline = Command.objects.get().next_attempt_at, time.monotonic() + seconds
    while time.monotonic() < deadline:
        if Command.objects.get().next_attempt_at != end:
            return True
        time.sleep(0.05)
    return False


def assert_paused_once(provider: Provider, account: Account) -> None:
    assert len(provider.events(PAUSED)) == 1
    assert provider.subscription(account).pause_date is not None
    assert PauseSchedule.objects.get().state == PauseSchedule.State.SCHEDULED
    assert OutgoingMail.objects.filter(account=account).count() == 1
    assert Command.objects.get().state == State.SUCCEEDED


def test_a_repeated_key_acts_once(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)

    pause_all(alice)
    pause_all(alice)

    assert_paused_once(provider, alice)


@pytest.mark.shows("reliability-7", "reliability-8")
@pytest.mark.parametrize("answer", [None, HTML, EMPTY, BROKEN, CUT], ids=["lost", "html", "empty", "502", "cut"])
def test_an_unusable_answer_is_confirmed_later_not_reported_as_a_failure(
    provider: Provider, faulty_proxy: FaultyProxy, answer: bytes | None
) -> None:
    alice = provider.subscriber("alice", FAITH)
    faulty_proxy.answer_with(answer or b"")

    with pytest.raises(BillingUnconfirmed):
        pause_all(alice)
    with pytest.raises(ChangeInProgress):
        pause_all(alice, key="another-intent")
    assert Command.objects.get().state == State.UNKNOWN
    assert not PauseSchedule.objects.exists()

    faulty_proxy.restore()
    expire_lease()
    assert lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now()) == {
        "settled": 1,
        "waiting": 0,
    }

    assert_paused_once(provider, alice)


def test_repeating_the_key_settles_the_command_at_once(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice = provider.subscriber("alice", FAITH)
    faulty_proxy.lose_answers()
    with pytest.raises(BillingUnconfirmed):
        pause_all(alice)

    faulty_proxy.restore()
    expire_lease()
    pause_all(alice)

    assert_paused_once(provider, alice)


@pytest.mark.shows("reliability-4")
def test_it_reads_back_before_it_retries_after_the_replay_window(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice = provider.subscriber("alice", FAITH)
    faulty_proxy.lose_answers()
    with pytest.raises(BillingUnconfirmed):
        pause_all(alice)

    faulty_proxy.restore()
    provider.travel(minutes=31)
    expire_lease()
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())

    assert_paused_once(provider, alice)


@pytest.mark.shows("reliability-1")
def test_an_unreachable_provider_changes_nothing_and_the_key_may_be_retried(
    provider: Provider, sandbox: Sandbox, settings: Settings
) -> None:
    alice = provider.subscriber("alice", FAITH)
    settings.CHARGEBEE_ENDPOINT = "http://127.0.0.1:9/api/v2"

    with pytest.raises(BillingUnavailable) as refused:
        pause_all(alice)
    assert refused.value.retry_after
    assert Command.objects.get().state == State.FAILED

    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    pause_all(alice)

    assert_paused_once(provider, alice)


def test_a_failed_command_is_not_retried_after_a_newer_change(
    provider: Provider, sandbox: Sandbox, settings: Settings
) -> None:
    alice = provider.subscriber("alice", FAITH)
    settings.CHARGEBEE_ENDPOINT = "http://127.0.0.1:9/api/v2"
    with pytest.raises(BillingUnavailable):
        pause_all(alice, key="in one tab")
    settings.CHARGEBEE_ENDPOINT = sandbox.endpoint
    pause_all(alice, key="in another tab")
    pauses.remove_scheduled_pause(alice, subscription_ids=None, key="and back", actor="you", now=clock.billing_now())

    with pytest.raises(InvalidState):
        pause_all(alice, key="in one tab")

    assert provider.subscription(alice).pause_date is None


def test_a_change_without_steps_leaves_no_command(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)

    with pytest.raises(undo.NothingScheduled):
        undo.remove_scheduled_cancellation(alice, subscription_ids=[], key="none", actor="you", now=clock.billing_now())
    with pytest.raises(InvalidState):
        lifecycle.execute_command(
            alice, kind=PAUSE, key="none", actor="you", now=clock.billing_now(), plan=lambda _: []
        )

    assert not Command.objects.exists()


@pytest.mark.shows("reliability-6")
def test_a_refused_command_refreshes_the_mirror(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, {"cancel_option": "immediately"})

    with pytest.raises(InvalidState):
        pause_all(alice)

    assert Subscription.objects.get().status == "cancelled"
    assert Command.objects.get().error_code == "invalid_state"


def test_a_process_killed_during_that_refresh_leaves_correct_documents(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, {"cancel_option": "immediately"})

    def die_on_insert(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(f'INSERT INTO "{AccountDocument._meta.db_table}"'):
            raise ProcessDied
        return execute(sql, *rest)

    with connection.execute_wrapper(die_on_insert), pytest.raises(ProcessDied):
        pause_all(alice)

    assert read_documents(alice) == built_documents(alice)


@pytest.mark.shows("rule-2")
def test_a_partial_failure_is_reported_and_the_call_can_be_repeated(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL, KIDS)
    kids = provider.subscription(alice, KIDS).id
    provider.sdk.Subscription.pause(kids, {"pause_option": "immediately"})

    with pytest.raises(BillingPartial):
        pause_plans(alice, FAITH, GOSPEL, KIDS)
    assert PauseSchedule.objects.count() == 2

    provider.sdk.Subscription.resume(kids, {"resume_option": "immediately"})
    account_import.resync_account(alice)
    pause_plans(alice, FAITH, GOSPEL, KIDS, key="a-new-click")

    assert PauseSchedule.objects.filter(state=PauseSchedule.State.SCHEDULED).count() == 3
    assert len(provider.events(PAUSED)) == 3
    assert Command.objects.get().state == State.SUCCEEDED


def test_a_repeated_partial_pause_also_pauses_what_was_removed_meanwhile(
    provider: Provider,
) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    gospel = provider.subscription(alice, GOSPEL).id
    provider.sandbox.order_fault("error", f"/subscriptions/{gospel}/pause", status=429)
    with pytest.raises(BillingPartial):
        pause_plans(alice, FAITH, GOSPEL)
    provider.console(alice, "take pause back", FAITH)
    account_import.resync_account(alice)

    pause_plans(alice, FAITH, GOSPEL, key="a-new-click")

    assert all(provider.subscription(alice, plan).pause_date for plan in (FAITH, GOSPEL))


@pytest.mark.shows("rule-2")
def test_a_new_click_finishes_a_change_whose_first_step_was_in_doubt(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    faith, gospel = (provider.subscription(alice, plan).id for plan in (FAITH, GOSPEL))
    browser = Browser(alice)

    def pause_both(key: str) -> Any:
        body = {"subscriptionId": [faith, gospel]}
        return browser.post("/api/account/subscriptions/multiple-pause", body, headers={"Idempotency-Key": key})

    provider.sandbox.order_fault("drop_connection_before", "*/pause")
    assert is_refusal(pause_both("one-click"), 503, "billing_unconfirmed")
    provider.travel(minutes=31)
    expire_lease()
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())
    provider.sandbox.order_fault("error", "*/pause", status=429, skip=1)
    assert is_refusal(pause_both("one-click"), 502, "billing_partial")

    assert pause_both("a-new-click").status_code == 200

    assert all(provider.subscription(alice, plan).pause_date for plan in (FAITH, GOSPEL))
    assert len(provider.events(PAUSED)) == 2


def test_a_declined_resume_stays_paused_and_is_not_retried(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    term_end = utc_time(provider.subscription(alice).current_term_end)
    pause_all(alice)
    provider.travel_to(term_end + timedelta(days=1))
    Subscription.objects.update(status="paused")
    provider.add_card("alice", DECLINING_CARD)

    for _ in range(2):
        with pytest.raises(PaymentProcessingFailed):
            resumes.resume_subscriptions(
                alice, subscription_ids=None, quote=None, key="resume-1", actor="you", now=clock.billing_now()
            )

    assert provider.subscription(alice).status == "paused"
    assert len(provider.invoices(alice)) == 1


def test_a_worker_that_lost_its_lease_does_not_apply_its_answer(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice = provider.subscriber("alice", FAITH)

    def settle_meanwhile(request: bytes) -> None:
        if request.startswith(b"POST") and b"/pause HTTP" in request:
            faulty_proxy.on_answer = lambda _: None
            expire_lease()
            lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())
            connection.close()

    faulty_proxy.on_answer = settle_meanwhile
    pause_all(alice)

    assert_paused_once(provider, alice)
    assert AccountEvent.objects.filter(account=alice).count() == 1
    assert Command.objects.get().attempts == 2


@pytest.mark.shows("reliability-51")
@pytest.mark.parametrize("reading", ["whether it was done", "what the provider has after a refusal"])
def test_a_command_keeps_its_lease_while_the_provider_answers_slowly(
    provider: Provider, faulty_proxy: FaultyProxy, reading: str
) -> None:
    alice = provider.subscriber("alice", FAITH)
    faulty_proxy.lose_answers()
    with pytest.raises(BillingUnconfirmed):
        pause_all(alice)
    faulty_proxy.restore()
    if reading == "whether it was done":
        provider.travel(minutes=31)
    else:
        provider.sandbox.refuse_requests("*/pause")
    renewed: list[bool] = []

    def answer_slowly(request: bytes) -> None:
        if request.startswith(b"GET"):
            faulty_proxy.on_answer = lambda _: None
            renewed.append(is_lease_renewed_within(seconds=14))
            connection.close()

    faulty_proxy.on_answer = answer_slowly
    expire_lease()
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())

    assert renewed == [True]
    assert Command.objects.get().state not in Command.OPEN


def test_a_command_that_raises_does_not_block_the_others(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice, bob = provider.subscriber("alice", FAITH), provider.subscriber("bob", FAITH)
    faulty_proxy.lose_answers()
    for account in (alice, bob):
        with pytest.raises(BillingUnconfirmed):
            pause_all(account)
    broken = Command.objects.get(account=alice)
    Command.objects.filter(pk=broken.pk).update(
        steps=[Step("unheard of", state=StepState.SENT, begun_at=clock.billing_now())]
    )

    faulty_proxy.restore()
    expire_lease()

    assert lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now()) == {
        "settled": 1,
        "waiting": 1,
    }
    assert PauseSchedule.objects.get().subscription.customer.account == bob
    Command.objects.filter(pk=broken.pk).update(steps=broken.steps)


@pytest.mark.shows("reliability-9")
def test_a_decline_with_a_lost_answer_is_reported_as_a_decline(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice = provider.subscriber("alice", FAITH)
    term_end = utc_time(provider.subscription(alice).current_term_end)
    pause_all(alice)
    provider.travel_to(term_end + timedelta(days=1))
    account_import.resync_account(alice)
    provider.add_card("alice", DECLINING_CARD)
    faulty_proxy.lose_answers()
    with pytest.raises(BillingUnconfirmed):
        resumes.resume_subscriptions(
            alice, subscription_ids=None, quote=None, key="back", actor="you", now=clock.billing_now()
        )

    faulty_proxy.restore()
    expire_lease()

    with pytest.raises(PaymentProcessingFailed):
        resumes.resume_subscriptions(
            alice, subscription_ids=None, quote=None, key="back", actor="you", now=clock.billing_now()
        )
    assert Subscription.objects.get().status == "paused"


def test_an_outdated_schedule_does_not_prevent_the_next_pause(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pause_all(alice)
    first = PauseSchedule.objects.get()
    provider.travel_to(first.pause_date + timedelta(hours=1))
    account_import.resync_account(alice)
    provider.sdk.Subscription.resume(provider.subscription(alice).id, {"resume_option": "immediately"})
    # As during another change of the account: the mirror is refreshed, and the schedule is not.
    writer.write_snapshots(records.find_customer_records("alice"), now=clock.billing_now())

    pause_all(alice, key="again")

    second = PauseSchedule.objects.get(state=PauseSchedule.State.SCHEDULED)
    assert second.pause_date == utc_time(provider.subscription(alice).pause_date) > first.resume_date
    assert PauseSchedule.objects.get(pk=first.pk).state == PauseSchedule.State.RESUMED


@pytest.mark.shows("reliability-30")
@pytest.mark.services
def test_twenty_concurrent_requests_act_once(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)

    def ask(number: int) -> str:
        try:
            pause_all(alice, key=f"intent-{number}")
        except BillingError as error:
            return error.code
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(ask, range(20)))

    assert answers.count("done") == 1
    assert set(answers) <= {"done", "change_in_progress", "already_paused"}
    assert_paused_once(provider, alice)
