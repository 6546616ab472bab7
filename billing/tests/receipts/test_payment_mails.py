"""Mails about bills that the provider collects by itself: each told once (docs/rules.md, rule 22)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command

from accounts.models import Account, AccountEvent, OutgoingMail
from accounts.tests.sign_in.sign_in_client import send_due_mail
from billing import clock
from billing.mirror import account_import
from billing.models import Command, Invoice
from billing.queries.payments.failed_payments import FailedPayment, PaymentFailure
from billing.receipts.payment_mails import prepare_payment_mail
from billing.receipts.phrases import long_date
from billing.receipts.texts.payments import payment_failed_notice
from billing.tests.api.browser import Browser
from billing.tests.api.plans.cancellation_requests import CANCEL
from billing.tests.changes.test_pauses import pause_plans, run_due_jobs
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, KIDS, VISA_CARD, Provider
from billing.tests.support.webhook_delivery import WebhookDelivery

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def webhooks(provider: Provider) -> WebhookDelivery:
    return WebhookDelivery(provider)


def deliver(webhooks: WebhookDelivery) -> None:
    webhooks.collect_new()
    webhooks.deliver_all()
    send_due_mail()


def payment_mails() -> list[Any]:
    titles = {row.context["title"] for row in OutgoingMail.objects.filter(kind="payment", state="sent")}
    return [message for message in mail.outbox if message.subject in titles]


def renew(provider: Provider, webhooks: WebhookDelivery) -> None:
    """Let a month and an hour pass, and deliver what happened."""
    deliver(webhooks)
    provider.travel(days=32)
    deliver(webhooks)


@pytest.mark.shows("rule-22")
def test_a_renewal_has_one_receipt_with_period_amount_card_and_invoice(
    provider: Provider, webhooks: WebhookDelivery
) -> None:
    alice = provider.subscriber("alice", FAITH)
    renew(provider, webhooks)

    (sent,) = payment_mails()
    invoice = provider.invoices(alice)[-1]
    assert sent.subject == "Receipt for Faith & Family: $6.99"
    assert "Faith & Family renewed on" in sent.body
    assert "Charged: $6.99, taxes included" in sent.body
    assert "Payment method: Visa ending in 1111" in sent.body
    assert f"/billingHistory?invoice={invoice.id}" in sent.body
    (event,) = AccountEvent.objects.filter(account=alice, kind="bill_paid")
    assert (event.text, event.actor) == (sent.subject, "system")
    assert int(event.at.timestamp()) == invoice.paid_at


@pytest.mark.shows("rule-22")
def test_plans_that_renew_on_one_invoice_have_one_receipt(provider: Provider, webhooks: WebhookDelivery) -> None:
    provider.sandbox.configure_site(consolidated_invoices=True)
    provider.subscriber("alice", FAITH, GOSPEL)
    renew(provider, webhooks)
    (sent,) = payment_mails()
    assert sent.subject == "Receipt for Faith & Family and Gospel TV: $14.98"
    assert "Charged: $14.98, taxes included" in sent.body


def test_the_period_is_that_of_the_renewal_although_the_invoice_has_earlier_charges(
    provider: Provider, webhooks: WebhookDelivery
) -> None:
    alice = provider.subscriber("alice", FAITH, invoice_immediately=False)
    renew(provider, webhooks)
    (sent,) = payment_mails()
    held = provider.subscription(alice)
    term = [long_date(datetime.fromtimestamp(at, tz=UTC)) for at in (held.current_term_start, held.current_term_end)]
    assert sent.subject == "Receipt for Faith & Family: $13.98"
    assert f"Faith & Family: {term[0]} to {term[1]}" in sent.body


def test_repeated_webhooks_and_comparisons_send_no_second_receipt(
    provider: Provider, webhooks: WebhookDelivery
) -> None:
    alice = provider.subscriber("alice", FAITH)
    renew(provider, webhooks)
    webhooks.under_way = list(webhooks.story)
    webhooks.deliver_all()
    account_import.resync_account(alice)
    call_command("reconcile", "--restart", stdout=StringIO())
    run_due_jobs()
    send_due_mail()
    assert len(payment_mails()) == 1


def test_the_end_of_a_trial_has_a_receipt(provider: Provider, webhooks: WebhookDelivery) -> None:
    end = clock.billing_now() + timedelta(days=20)
    provider.subscriber("alice", KIDS, trial_end=int(end.timestamp()))
    deliver(webhooks)
    provider.travel_to(end + timedelta(hours=1))
    deliver(webhooks)
    (sent,) = payment_mails()
    assert sent.subject == "Receipt for Kids: $8.99"
    assert "Your Kids trial ended on" in sent.body


def test_a_bill_paid_from_credit_says_that_nothing_was_charged(provider: Provider, webhooks: WebhookDelivery) -> None:
    provider.subscriber("alice", FAITH)
    provider.sdk.PromotionalCredit.add({"customer_id": "alice", "amount": 5000, "description": "Sorry"})
    renew(provider, webhooks)
    (sent,) = payment_mails()
    assert sent.subject == "Receipt for Faith & Family: $0.00"
    assert "You weren't charged." in sent.body
    assert "Paid from your credit: $6.99" in sent.body
    assert "Discounts" not in sent.body
    assert "Payment method" not in sent.body


def test_an_imported_account_gets_no_receipts_of_its_past(provider: Provider) -> None:
    provider.subscriber("bob")
    customer = {"id": "alice", "email": "alice@example.com"}
    provider.sdk.Customer.create(customer)
    provider.add_card("alice", VISA_CARD)
    provider.subscribe("alice", FAITH)
    provider.travel(days=31)
    account = account_import.import_account("alice@example.com")
    assert account is not None
    account_import.resync_account(account)
    send_due_mail()
    assert Invoice.objects.filter(customer__account=account).count() == 2
    assert not OutgoingMail.objects.filter(account=account).exists()


def test_a_bill_that_a_comparison_finds_late_is_not_told(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.travel(days=45)
    account_import.resync_account(alice)
    assert Invoice.objects.filter(customer__account=alice).count() == 2
    assert not OutgoingMail.objects.filter(kind="payment").exists()


def test_a_resume_by_the_night_is_told_by_its_own_receipt_alone(provider: Provider, webhooks: WebhookDelivery) -> None:
    alice = provider.subscriber("alice", GOSPEL)
    pause_plans(alice)
    for _ in range(3):
        provider.travel(days=31)
        run_due_jobs()
        webhooks.collect_new()
        webhooks.deliver_all()
        if Command.objects.filter(kind="resume", state=Command.State.SUCCEEDED).exists():
            break
    send_due_mail()
    made = {step.invoice_id for command in Command.objects.all() for step in command.steps} - {""}
    assert made
    told = [row.context["about"]["invoice"] for row in OutgoingMail.objects.filter(kind="payment")]
    assert not Invoice.objects.filter(pk__in=told, provider_id__in=made).exists()
    receipt = OutgoingMail.objects.get(context__title="Gospel TV is active again").context
    assert ["Payment method", "Visa ending in 1111"] in receipt["facts"]
    assert receipt["action_label"] == "See your invoice"
    assert receipt["action_url"] == f"/billingHistory?invoice={made.pop()}"


@pytest.fixture
def broke(provider: Provider, webhooks: WebhookDelivery) -> Account:
    """Return the account of a subscriber whose card stops working after the first bill."""
    alice = provider.subscriber("alice", FAITH)
    provider.add_card("alice", DECLINING_CARD)
    deliver(webhooks)
    return alice


def next_bill(account: Account) -> Any:
    return account.customer.subscriptions.get().next_billing_at


@pytest.mark.shows("rule-22")
def test_each_failed_try_is_told_with_reason_and_next_try_and_the_success_after_them(
    provider: Provider, webhooks: WebhookDelivery, broke: Account
) -> None:
    provider.travel_to(next_bill(broke) + timedelta(hours=1))
    deliver(webhooks)
    deliver(webhooks)
    provider.travel(days=1)
    deliver(webhooks)
    first, second = payment_mails()
    assert first.subject == second.subject == "Your payment for Faith & Family failed"
    assert "We couldn't collect $6.99. " in first.body
    assert "We'll try again on" in first.body
    assert "Visa ending in 0004" in first.body
    assert "/manage-payment-method" in first.body
    assert [event.kind for event in broke.events.all()].count("payment_failed") == 2

    provider.add_card("alice", VISA_CARD)
    provider.travel(days=1)
    deliver(webhooks)
    receipt = payment_mails()[-1]
    assert receipt.subject == "Receipt for Faith & Family: $6.99"
    assert "An earlier try failed. This one went through" in receipt.body
    assert "Visa ending in 1111" in receipt.body


def test_the_last_failed_try_says_what_became_of_the_plan(
    provider: Provider, webhooks: WebhookDelivery, broke: Account
) -> None:
    provider.travel_to(next_bill(broke) + timedelta(hours=1))
    deliver(webhooks)
    for _ in range(10):
        provider.travel(days=1)
        deliver(webhooks)
    assert Invoice.objects.latest("issued_at").status == "not_paid"
    assert "That was our last try." in payment_mails()[-1].body
    assert len({message.body for message in payment_mails()}) == len(payment_mails())


def test_the_last_failed_try_promises_no_plan_that_ends_anyway(
    provider: Provider, webhooks: WebhookDelivery, broke: Account
) -> None:
    provider.sandbox.configure_site(dunning_end="keep")
    provider.travel_to(next_bill(broke) + timedelta(hours=1))
    deliver(webhooks)
    assert Browser(broke).post(CANCEL).status_code == 200
    for _ in range(10):
        provider.travel(days=1)
        deliver(webhooks)
    assert broke.customer.subscriptions.get().status == "non_renewing"
    told = payment_mails()[-1].body
    assert "That was our last try." in told
    assert "Pay now to keep" not in told
    assert "The bill stays due until you pay it." in told


def test_the_last_failed_try_tells_the_end_of_several_plans_in_the_plural() -> None:
    ids = ("faith", "kids")
    failed = FailedPayment(
        number="1042",
        amount_due=1398,
        currency_code="USD",
        plans=("Faith & Family", "Kids"),
        subscription_ids=ids,
        reason="declined",
        next_retry_at=None,
    )

    def last_line(*, canceled: tuple[str, ...] = (), paused: tuple[str, ...] = ()) -> str:
        failure = PaymentFailure(has_payment_failure=True, canceled_ids=canceled, paused_ids=paused)
        at = datetime(2026, 12, 20, 12, tzinfo=UTC)
        return payment_failed_notice(failed, failure, method="", has_method=True, at=at).lines[-1]

    assert last_line(canceled=ids) == "Faith & Family and Kids were canceled because of it."
    assert last_line(paused=ids) == "Faith & Family and Kids are paused because of it."
    assert last_line(canceled=ids[:1]) == "Faith & Family was canceled because of it."
    assert last_line(canceled=("other",)) == "Pay now to keep Faith & Family and Kids."


def test_a_failure_that_was_paid_before_its_mail_left_is_not_told(
    provider: Provider, webhooks: WebhookDelivery, broke: Account
) -> None:
    provider.travel_to(next_bill(broke) + timedelta(hours=1))
    webhooks.collect_new()
    webhooks.deliver_all()
    provider.add_card("alice", VISA_CARD)
    provider.travel(days=1)
    deliver(webhooks)
    assert [message.subject for message in payment_mails()] == ["Receipt for Faith & Family: $6.99"]


def test_it_waits_for_an_open_change_that_may_have_made_the_invoice(
    provider: Provider, webhooks: WebhookDelivery
) -> None:
    alice = provider.subscriber("alice", FAITH)
    deliver(webhooks)
    command = Command.objects.create(account=alice, key="k", kind="resume", actor="you", steps=[])
    provider.travel(days=32)
    deliver(webhooks)
    row = OutgoingMail.objects.get(kind="payment")
    assert (row.state, row.last_error) == (OutgoingMail.State.PENDING, "")
    assert payment_mails() == []
    Command.objects.filter(pk=command.pk).update(state=Command.State.FAILED)
    OutgoingMail.objects.update(next_attempt_at=row.created_at)
    send_due_mail()
    assert len(payment_mails()) == 1


@pytest.mark.shows("rule-22")
def test_the_receipt_of_a_change_by_customer_service_within_a_term_tells_no_renewal(
    provider: Provider, webhooks: WebhookDelivery
) -> None:
    alice = provider.subscriber("alice", FAITH)
    deliver(webhooks)
    provider.travel(days=10)
    items = [{"item_price_id": f"{KIDS}-USD-Monthly", "quantity": 1}]
    provider.sdk.Subscription.update_for_items(provider.subscription(alice).id, {"subscription_items": items})
    deliver(webhooks)
    (sent,) = payment_mails()
    assert sent.subject.startswith("Receipt for Kids: $")
    assert "renewed" not in sent.body
    provider.travel(days=25)
    deliver(webhooks)
    assert "Kids renewed on" in payment_mails()[-1].body


def test_a_failure_whose_invoice_was_voided_before_its_mail_left_is_not_told(
    provider: Provider, webhooks: WebhookDelivery, broke: Account
) -> None:
    provider.travel_to(next_bill(broke) + timedelta(hours=1))
    webhooks.collect_new()
    webhooks.deliver_all()
    row = OutgoingMail.objects.get(kind="payment")
    assert prepare_payment_mail(row) is not None  # and the mail server did not take it
    provider.sdk.Invoice.void_invoice(provider.invoices(broke)[-1].id, {})
    deliver(webhooks)
    assert payment_mails() == []
    row.refresh_from_db()
    assert row.state == OutgoingMail.State.DROPPED
