"""The roles of a customer's payment sources: the primary one and the backup."""

from __future__ import annotations

from chargebee_sandbox.models import Customer, PaymentSource, Subscription


def make_primary(customer: Customer, source: PaymentSource) -> None:
    """Make a source the primary one, unsaved. The previous primary source loses its role; another backup stays."""
    if customer.get("backup_payment_source_id") == source.handle:
        customer.set_attributes(backup_payment_source_id=None)
    customer.set_attributes(
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


def reassign_roles(customer: Customer, gone: str) -> None:
    """Fill the roles of a deleted source, unsaved. Without a successor, automatic collection is turned off."""
    backup = customer.get("backup_payment_source_id")
    if gone == backup:
        customer.set_attributes(backup_payment_source_id=None)
    if gone != customer.get("primary_payment_source_id"):
        return
    successor = _next_primary_source(customer, backup)
    if successor is not None:
        make_primary(customer, successor)
        return
    customer.set_attributes(primary_payment_source_id=None, payment_method=None)
    customer.set_attributes(card_status="no_card", auto_collection="off")


def _next_primary_source(customer: Customer, backup: str | None) -> PaymentSource | None:
    sources = PaymentSource.objects.filter(customer_id=customer.handle, deleted=False).order_by("-seq")
    tied = Subscription.objects.filter(customer_id=customer.handle, body__payment_source_id__isnull=False)
    reserved = {subscription["payment_source_id"] for subscription in tied}
    promoted = sources.filter(handle=backup).first() if backup else None
    return promoted or sources.exclude(handle__in=reserved).first()
