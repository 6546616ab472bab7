"""Which of a customer's payment sources is charged first, and which one steps in."""

from __future__ import annotations

from billing.sandbox.models import Customer, PaymentSource, Subscription


def make_primary(customer: Customer, source: PaymentSource) -> None:
    """Charge this source first from now on, unsaved. The one before has no role any more; a backup stays one."""
    if customer.get("backup_payment_source_id") == source.handle:
        customer.change(backup_payment_source_id=None)
    customer.change(
        primary_payment_source_id=source.handle,
        card_status="valid" if source["type"] == "card" else "no_card",
        payment_method={
            "type": source["type"],
            "reference_id": source["reference_id"],
            "gateway": source["gateway"],
            "gateway_account_id": source["gateway_account_id"],
            "status": source["status"],
            "object": "payment_method",
        },
    )


def fill_after(customer: Customer, gone: str) -> None:
    """Fill the roles of a source that is gone, unsaved. Without a successor nothing is collected by itself any more."""
    backup = customer.get("backup_payment_source_id")
    if gone == backup:
        customer.change(backup_payment_source_id=None)
    if gone != customer.get("primary_payment_source_id"):
        return
    successor = _successor(customer, backup)
    if successor is not None:
        make_primary(customer, successor)
        return
    customer.change(primary_payment_source_id=None, payment_method=None)
    customer.change(card_status="no_card", auto_collection="off")


def _successor(customer: Customer, backup: str | None) -> PaymentSource | None:
    held = PaymentSource.objects.filter(customer_id=customer.handle, deleted=False).order_by("-seq")
    tied = Subscription.objects.filter(customer_id=customer.handle, body__payment_source_id__isnull=False)
    taken = {subscription["payment_source_id"] for subscription in tied}
    promoted = held.filter(handle=backup).first() if backup else None
    return promoted or held.exclude(handle__in=taken).first()
