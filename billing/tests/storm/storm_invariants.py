"""What must hold in every storm: always, and once it has calmed.

The assertions about the provider use its events, each of which is attributed to its cause: the portal, somebody in the
provider's console, or time.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.core import mail as outgoing

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.changes import resumes
from billing.changes.discounts import bundle_coupons
from billing.mirror.writer import MODELS_BY_KIND
from billing.models import (
    CancellationFeedback,
    ChurnEvent,
    Command,
    Invoice,
    PauseSchedule,
    RevenueMovement,
    Subscription,
)
from billing.models.commands import SYSTEM_ACTOR
from billing.models.steps import StepOperation
from billing.receipts import payment_mails
from billing.tests.storm.injected_troubles import TroubleMaker
from billing.tests.storm.lifecycle.pause_periods import assert_never_billed_while_paused, pause_periods
from billing.tests.storm.subscriber_app import AppRequest
from billing.tests.storm.write_ledger import WriteLedger
from billing.tests.support.invariants import reconcile_output
from billing.tests.support.live_provider import Provider, utc_time
from billing.tests.support.shown_documents import built_documents, read_documents
from billing.tests.support.webhook_delivery import WebhookDelivery

Kind = ChurnEvent.Kind
COUNTED_AS = {
    "pause": Kind.PAUSE_SCHEDULED,
    "cancel_at_term_end": Kind.CANCELLED,
    "cancel_now": Kind.CANCELLED,
    "keep": Kind.KEPT,
}
# Changes that always send a receipt.
ALWAYS_MAILED = (
    *("resume", "redeem_code", "claim_free_month", "add_payment_method", "remove_payment_method"),
    *("refund_invoice", "give_credit"),
)
# Logged errors that an outage, a jump of the clock or the console may cause.
EXPECTED_ERRORS = (
    "is parked after",
    "change again after each alignment",
    "expired before they were sent",
    "The provider refused a customer's names",
    "Creating a payment intent",
)
# A pause lasts thirty days, and its resume is due from midnight of the last day.
MIN_PAUSE = timedelta(days=29)


class ErrorRecorder(logging.Handler):
    """Records the errors that the portal logs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Record an unexpected error of the portal's own code, with its cause."""
        words = record.getMessage()
        known = any(expected in words for expected in EXPECTED_ERRORS)
        if record.name.split(".")[0] in ("accounts", "billing", "portal") and not known:
            cause = record.exc_info[1] if record.exc_info else None
            self.messages.append(f"{words} {cause!r}")


@dataclass(kw_only=True)
class StormInvariants:
    """The assertions about the accounts of a world, which adds what happens in it."""

    provider: Provider
    accounts: dict[str, Account] = field(default_factory=dict)
    ledgers: dict[str, WriteLedger] = field(default_factory=dict)
    versions: dict[tuple[str, str], int] = field(default_factory=dict)
    checked_commands: set[Any] = field(default_factory=set)
    revenue: Counter[str] = field(default_factory=Counter)
    last_movement: int = 0

    def __post_init__(self) -> None:
        self.delivery, self.errors = WebhookDelivery(self.provider), ErrorRecorder()
        self.trouble_maker = TroubleMaker(self.provider.sandbox)
        self.mailed = len(outgoing.outbox)

    def assert_invariants(self) -> None:
        """Assert what always holds."""
        assert self.errors.messages == []
        assert self.trouble_maker.requests_in_transaction == 0, "the provider was asked inside a transaction"
        assert_never_billed_while_paused(self.delivery.story)
        self.assert_never_older()
        self._assert_revenue_adds_up()
        for name, account in self.accounts.items():
            self._assert_written_once(name)
            self._assert_counted_once(account)
            self._assert_resumed_when_promised(account)
            assert Command.objects.filter(account=account, state__in=Command.OPEN).count() <= 1
            assert read_documents(account) == built_documents(Account.objects.get(pk=account.pk))
            prices = [
                fingerprint["price"].rsplit("-", 1)[0] for fingerprint in self.provider.live_fingerprints(name).values()
            ]
            assert len(prices) == len(set(prices)), f"{name} has two live subscriptions of one service"

    def assert_final_state(self) -> None:
        """Assert what holds when no work is left."""
        assert reconcile_output() == ""
        self._assert_revenue_is_the_providers()
        self._assert_not_more_returned_than_paid()
        for account in self.accounts.values():
            assert bundle_coupons.pending_swaps(account) == []
        outcomes = CancellationFeedback.objects.values_list("outcome", flat=True)
        assert CancellationFeedback.Outcome.REQUESTED not in outcomes
        sent = OutgoingMail.objects.filter(state=OutgoingMail.State.SENT).count()
        assert len(outgoing.outbox) - self.mailed == sent
        for command in Command.objects.filter(state=Command.State.SUCCEEDED, kind__in=ALWAYS_MAILED):
            assert OutgoingMail.objects.filter(dedupe_key=f"command:{command.pk}").count() == 1
        _assert_bills_told_once()
        overdue = PauseSchedule.objects.filter(
            state=PauseSchedule.State.PAUSED,
            declines=0,
            resume_date__lte=clock.billing_now() - timedelta(days=2),
        )
        assert [str(schedule) for schedule in overdue] == []

    def _assert_written_once(self, name: str) -> None:
        """Assert that exactly the done steps were written, once each, and the charges of their request."""
        if self.ledgers[name].assert_balanced(self.accounts[name], name):
            self._assert_charged_as_shown(name)

    def _assert_charged_as_shown(self, name: str) -> None:
        """Assert that a request charged what its preview showed, whoever finished it."""
        ledger, account = self.ledgers[name], self.accounts[name]
        intent, charged, moved = ledger.intent, ledger.charged, ledger.moved
        ledger.begin_intent(None)
        if intent is None or intent.charged is None:
            return
        command = Command.objects.filter(account=account, key=intent.command_key).first()
        # A job's resume of the same subscription is not a charge of this change.
        concerned = _charged_objects(command) if command else set(charged)
        intent.charged += sum(charged[identifier] for identifier in concerned - _resumed_by_job(account, intent))
        if command is None or command.error_code == "billing_partial" or intent.collects:
            # It was partial, or finished another request, or the card declined.
            assert intent.charged <= intent.shown, f"{intent}"
        elif command.state == Command.State.FAILED:
            assert intent.charged == 0, f"{intent} failed"
        elif not moved:
            assert intent.charged == intent.shown, f"{intent}"

    def _assert_counted_once(self, account: Account) -> None:
        """Assert that the retention report counts each done step once."""
        rows = ChurnEvent.objects.filter(account=account, kind__in=set(COUNTED_AS.values()))
        counted = Counter((row.subscription_id, str(row.kind)) for row in rows)
        done = Counter(
            (step.subscription_id, str(COUNTED_AS[step.operation]))
            for command in Command.objects.filter(account=account)
            for step in command.steps
            if step.is_done and step.operation in COUNTED_AS
        )
        lost = {entry: count for entry, count in (done - counted).items() if entry[1] != Kind.PAUSE_SCHEDULED}
        assert (counted - done, lost) == (Counter(), {})

    def _assert_resumed_when_promised(self, account: Account) -> None:
        """Assert that no job resumed a subscription before its date."""
        resumed = Command.objects.filter(account=account, kind=resumes.RESUME.name, state=Command.State.SUCCEEDED)
        for command in resumed.filter(actor=SYSTEM_ACTOR).exclude(pk__in=self.checked_commands):
            self.checked_commands.add(command.pk)
            for step in command.steps:
                begun_at = int(step.begun_at.timestamp())
                found = pause_periods(self.delivery.events_about(step.subscription_id), ())
                began = [utc_time(pause.began_at) for pause in found if pause.covers_instant(begun_at)]
                assert all(utc_time(begun_at) - begin >= MIN_PAUSE for begin in began), "resumed early"

    def assert_never_older(self) -> None:
        """Assert that no older version replaced a newer one."""
        for kind, model in MODELS_BY_KIND.items():
            for resource, version in model._default_manager.values_list("provider_id", "resource_version"):
                assert version >= self.versions.get((kind, resource), 0), f"{kind} {resource} went back"
                self.versions[kind, resource] = version

    def _assert_revenue_adds_up(self) -> None:
        """Assert that the movements since the last look are the difference in revenue, to the cent."""
        revenue, moved = Counter[str](), Counter[str]()
        for subscription in Subscription.objects.all():
            revenue[subscription.terms.currency] += subscription.monthly_revenue
        for row in RevenueMovement.objects.filter(pk__gt=self.last_movement).order_by("pk"):
            moved[row.currency] += row.amount
            self.last_movement = row.pk
        keys = revenue.keys() | self.revenue.keys() | moved.keys()
        assert {key: revenue[key] - self.revenue[key] for key in keys} == {key: moved[key] for key in keys}
        self.revenue = revenue

    def _assert_revenue_is_the_providers(self) -> None:
        """Assert that the ledger's sum is what the provider's paying subscriptions come to per month."""
        expected = 0
        for name in self.accounts:
            for raw in self.provider.raw_subscriptions(name).values():
                if raw["status"] in ("active", "non_renewing"):
                    cents = sum(item["amount"] for item in raw["subscription_items"])
                    expected += cents if raw["billing_period_unit"] == "month" else (2 * cents + 12) // 24
        assert sum(RevenueMovement.objects.values_list("amount", flat=True)) == expected

    def _assert_not_more_returned_than_paid(self) -> None:
        """Assert that no payment was refunded beyond its amount, by anybody."""
        for name in self.accounts:
            listed = self.provider.sdk.Transaction.list({"customer_id": {"is": name}, "limit": 100})
            rows = {entry.transaction.id: entry.transaction.raw_data for entry in listed.list}
            returned = Counter[str]()
            for raw in rows.values():
                if raw["type"] == "refund":
                    returned[raw["refunded_txn_id"]] += raw["amount"]
            assert all(cents <= rows[payment]["amount"] for payment, cents in returned.items() if payment in rows)


def _assert_bills_told_once() -> None:
    """Assert that each payment was told by one mail: that of a bill, or the receipt of the change that made it."""
    mails = OutgoingMail.objects.filter(kind=payment_mails.MAIL_KIND, state=OutgoingMail.State.SENT)
    abouts = [mail.context["about"] for mail in mails]
    told = Counter(about["invoice"] for about in abouts if about["what"] == "paid")
    assert [pk for pk, times in told.items() if times > 1] == []
    made = {step.invoice_id for command in Command.objects.all() for step in command.steps}
    twice = [row for row in Invoice.objects.filter(pk__in=told) if row.provider_id in made]
    assert [str(row) for row in twice if not row.payload["dunning_attempts"]] == []


def _resumed_by_job(account: Account, intent: AppRequest) -> set[str]:
    """Return the subscriptions that a job has resumed since a request."""
    since = intent.first_sent_at or clock.billing_now()
    by_jobs = Command.objects.filter(account=account, actor=SYSTEM_ACTOR, created_at__gte=since)
    done = [step for command in by_jobs for step in command.steps if step.is_done]
    return {step.subscription_id for step in done if step.operation == StepOperation.RESUME}


def _charged_objects(command: Command) -> set[str]:
    """Return the subscriptions and invoices that a command may have charged."""
    return {step.arguments.get("invoice") or step.subscription_id for step in command.steps}
