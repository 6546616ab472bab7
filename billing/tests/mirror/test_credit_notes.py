"""Credit notes and refunds in the mirror, also those that customer service makes at the provider."""

from __future__ import annotations

from typing import Any

import pytest

from billing import clock
from billing.jobs import nightly_reconcile
from billing.mirror import reconcile
from billing.models import CreditNote, Customer, Transaction
from billing.queries.export import export_part
from billing.tests.support.live_provider import FAITH, Provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def number(provider: Provider) -> str:
    """The number of Alice's invoice of $6.99, paid and mirrored."""
    return str(provider.invoices(provider.subscriber("alice", FAITH))[0].id)


def refund(provider: Provider, number: str, cents: int) -> Any:
    """Refund a part of an invoice, as customer service does at the provider; return its credit note."""
    return provider.sdk.Invoice.refund(number, {"refund_amount": cents}).credit_note


def mirrored_notes() -> list[tuple[str, int, int, bool]]:
    """Return each mirrored note's status, refund and rest in cents, and whether it counts."""
    return [
        (note.text("status"), note.cents("amount_refunded"), note.cents("amount_available"), note.is_valid)
        for note in CreditNote.objects.order_by("pk")
    ]


def test_the_feed_brings_a_refund_and_its_credit_note(provider: Provider, number: str) -> None:
    note = refund(provider, number, 200)

    reconcile.read_feed(now=clock.billing_now())

    row = CreditNote.objects.get()
    assert (row.provider_id, row.invoice_number, row.customer.provider_id) == (note.id, number, "alice")
    assert mirrored_notes() == [("refunded", 200, 0, True)]
    returned = Transaction.objects.get(payload__type="refund")
    assert [link["txn_id"] for link in row.payload["linked_refunds"]] == [returned.provider_id]
    payment = provider.sdk.Invoice.retrieve(number).invoice.linked_payments[0]
    assert returned.text("refunded_txn_id") == payment.txn_id
    assert list(reconcile.find_differences()) == []


def test_the_night_finds_credit_notes_that_no_event_brought(provider: Provider, number: str) -> None:
    reconcile.repair_mirror(now=clock.billing_now())
    credit = provider.sdk.CreditNote.create(
        {"reference_invoice_id": number, "total": 300, "type": "refundable", "reason_code": "waiver"}
    ).credit_note
    assert {(row.kind, row.problem) for row in reconcile.find_differences()} >= {("credit_note", "missing")}

    reconcile.repair_mirror(now=clock.billing_now())
    assert mirrored_notes() == [("refund_due", 0, 300, True)]
    assert Customer.objects.get().cents("refundable_credits") == 300

    provider.sdk.CreditNote.void_credit_note(credit.id)
    reconcile.repair_mirror(now=clock.billing_now())
    assert mirrored_notes() == [("voided", 0, 0, False)]
    assert list(reconcile.find_differences()) == []


def test_the_export_has_them_and_an_erasure_deletes_them(provider: Provider, number: str) -> None:
    refund(provider, number, 699)
    reconcile.read_feed(now=clock.billing_now())
    account = Customer.objects.get().account
    assert account is not None

    exported: Any = export_part(account)["credit_notes"]
    assert [(row["details"]["total"], row["details"]["reference_invoice_id"]) for row in exported] == [(699, number)]

    Customer.objects.get().delete()
    assert not CreditNote.objects.exists()


def test_the_nightly_comparison_has_a_stage_for_them() -> None:
    assert "credit_note" in nightly_reconcile.STAGES
